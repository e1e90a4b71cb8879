import { AppError, createValidator, parseJson } from '@belfry/shared';
import type { Static, TSchema } from '@sinclair/typebox';
import express, { type Request, type RequestHandler } from 'express';

/** An event's draft, in every language, is the largest body there is. */
const maxBodyBytes = 1_000_000;

/** Puts a JSON body's bytes on the call. What is no JSON is left alone: a route that takes a body refuses it. */
export function createReadBody(): RequestHandler {
  return express.raw({ type: 'application/json', limit: maxBodyBytes, inflate: false });
}

/** Reads the body of a call as the schema says, or throws what is wrong with it. */
export function createBodyReader<T extends TSchema>(schema: T): (req: Request) => Static<T> {
  const validate = createValidator(schema);
  return function readBody(req) {
    const bytes: unknown = req.body;
    if (!Buffer.isBuffer(bytes)) {
      throw new AppError('unsupported_media_type', 'the content type must be application/json');
    }
    return validate(parseJson(bytes));
  };
}
