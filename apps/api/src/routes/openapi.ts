import type { RequestHandler } from 'express';
import { sendAnswer } from '../call';
import { createOpenApi } from '../openapi';
import type { Operation } from '../operation';

/** `GET /openapi.json` */
export function createOpenApiRoute(
  operations: readonly Operation[],
  publicUrl: string,
): RequestHandler {
  const body = JSON.stringify(createOpenApi(operations, publicUrl));
  return function openApi(_req, res) {
    sendAnswer(res, { status: 200, body });
  };
}
