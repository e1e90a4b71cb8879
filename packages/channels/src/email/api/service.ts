import type { TObject, TProperties, TSchema } from '@sinclair/typebox';
import type { ConnectionTestResult, ReceiptReader } from '../../channel';
import type { HttpResponse } from '../../http';
import type { ApiError, ErrorTable } from './answers';
import type { MailFields, MailLimits } from './mail-fields';

/** An e-mail service with an HTTP API. Each service is one value of this type. */
export type MailApi = ErrorTable & {
  /** Its key in the registry, and in the base URLs. */
  name: string;
  label: string;
  /** Besides the sender and the rate. */
  settings: TProperties;
  maxPerSecond: TSchema;
  credentials: TObject;
  /** Problems of credentials that the schema cannot express. */
  check?(credentials: ApiIntegration['credentials']): string[];
  limits: MailLimits;
  /** The service's own URL. Regions are enumerated: an operator never enters a URL. */
  getUrl(settings: Record<string, unknown>): string;
  getPath(settings: Record<string, unknown>): string;
  createCall(mail: ApiMail): ApiCall | Promise<ApiCall>;
  /** The headers that prove who calls. */
  authorize(request: ApiRequest, integration: ApiIntegration): Record<string, string>;
  /** The ID in an answer of success. */
  readId(body: Record<string, unknown>, response: HttpResponse): unknown;
  readError(body: Record<string, unknown>, response: HttpResponse): ApiError;
  /** Recipients that the service refused, in an answer that accepts the others. */
  listRefused?(body: Record<string, unknown>): string[];
  test: {
    createRequest(integration: ApiIntegration): Omit<ApiRequest, 'url'> & { path: string };
    /** The result as a sentence if the credentials work. Undefined: the error table decides. */
    read(answer: TestAnswer): string | ConnectionTestResult | undefined;
  };
  receipts: ReceiptReader;
};

export type ApiMail = MailFields & {
  settings: Record<string, unknown>;
  /** The whole mail with its headers, as SMTP sends it. */
  composeMime(): Promise<Buffer>;
};

export type ApiCall = { headers: Record<string, string>; body: string | Buffer };

export type ApiRequest = ApiCall & { method: 'GET' | 'POST'; url: string };

/** Checked against the schemas. */
export type ApiIntegration = {
  settings: Record<string, unknown> & { from: { address: string } };
  credentials: Record<string, string | undefined>;
};

export type TestAnswer = ApiIntegration & {
  status: number;
  body: Record<string, unknown>;
  error: ApiError;
};
