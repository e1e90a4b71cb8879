/** The package has no types; these are the parts we use. */
declare module 'aws4' {
  export type Signable = {
    host: string;
    path: string;
    method: string;
    service: string;
    region: string;
    headers: Record<string, string>;
    body?: string | Buffer;
  };
  export function sign(
    request: Signable,
    credentials: { accessKeyId: string; secretAccessKey: string },
  ): { headers: Record<string, string> };
}
