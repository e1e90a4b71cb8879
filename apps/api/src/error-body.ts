import { AppError, limitProblems, unreadableJson } from '@belfry/shared';

/** Serializes an error in the common error format. */
export function errorBody(error: AppError, callId: string): string {
  return JSON.stringify({
    success: false,
    error: error.message,
    code: error.code,
    errors: listErrors(error),
    // Old clients read this field.
    message: bodyCodes.has(error.code) ? unreadableJson : undefined,
    request_id: callId,
  });
}

function listErrors({ code, problems }: AppError): string[] | undefined {
  if (code !== 'validation_failed') return undefined;
  return limitProblems(problems).map(({ path, problem }) => `${path} ${problem}`);
}

/** An error in Belfry itself. It has no detail, so its body is always the same. */
export function internalError(cause?: unknown): AppError {
  return new AppError('internal', 'internal error', { cause });
}

const bodyCodes = new Set<string>(['malformed_json', 'invalid_type']);
