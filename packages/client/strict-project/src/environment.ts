// The project has neither the DOM's types nor Node's.
declare const process: { env: Readonly<Record<string, string | undefined>> };
declare const console: { log(text: string): void };

/** An unset variable is an empty string. */
export function readOptions() {
  const { BELFRY_URL = '', BELFRY_API_KEY = '', BELFRY_APP_ID = '' } = process.env;
  return { baseUrl: BELFRY_URL, apiKey: BELFRY_API_KEY, appId: BELFRY_APP_ID };
}

export function print(value: unknown): void {
  console.log(JSON.stringify(value));
}
