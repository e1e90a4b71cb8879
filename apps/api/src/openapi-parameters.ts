import type { Operation } from './operation';

/** The headers of each call that takes an `Idempotency-Key`, by the name of the parameter. */
export const callHeaders = {
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Makes retries safe: a repeated request with the same key and body gets the first response again. Any characters that a header allows, compared as bytes.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    example: '3f0b1d52-6b1c-4c53-9f0d-2a7a4f3c9d10',
  },
  traceparent: {
    name: 'traceparent',
    in: 'header',
    required: false,
    description:
      'W3C Trace Context of the caller. The request and its messages belong to this trace. An invalid one is ignored.',
    schema: { type: 'string', maxLength: 512 },
    example: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  },
};

/** All path parameters. */
const pathParameters: Record<string, { description: string; example: string }> = {
  app_id: {
    description: 'ID of the app. It must belong to the account of the API key.',
    example: '0199b1f4-7c10-7b52-8a44-91d0e6f3c2a8',
  },
  user_id: {
    description: 'ID of the user, chosen by the client; compared as bytes.',
    example: 'customer-1',
  },
  request_id: {
    description: 'The `request_id` from the response of a send.',
    example: '0199b1f4-8f2a-7c3e-9d51-3a1f0c6b7e42',
  },
  message_id: {
    description: 'The `message_id` of an inbox item.',
    example: '0199b1f4-9a10-7d21-8f60-2b7c1d5e8a03',
  },
  device_id: {
    description: 'The `device_sid` of the device, or the client’s own `id` for it.',
    example: '0199b1f4-9a10-7d21-8f60-2b7c1d5e8a03',
  },
  endpoint_id: {
    description: 'The `id` of the endpoint.',
    example: '0199b1f4-c400-7a51-9c90-6e0f4a81bd36',
  },
  delivery_id: {
    description: 'The `id` of the delivery, which is also its `webhook-id`.',
    example: '0199b1f4-d500-7b61-8da0-7f105b92ce47',
  },
};

export function listParameters(operation: Operation): object[] {
  return [...listPathParameters(operation), ...listQueryParameters(operation)];
}

function listQueryParameters({ query = {} }: Operation): object[] {
  return Object.entries(query).map(([name, { isRequired = false, ...parameter }]) => ({
    name,
    in: 'query',
    required: isRequired,
    ...parameter,
  }));
}

function listPathParameters({ path }: Operation): object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const parameter = pathParameters[name];
    if (!parameter) throw new Error(`The parameter ${name} of ${path} is not described`);
    return { name, in: 'path', required: true, schema: { type: 'string' }, ...parameter };
  });
}
