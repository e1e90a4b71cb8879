import { AppError, limitProblems, unreadableJson } from '@belfry/shared';

/** The one shape of every error, as JSON. */
export function errorBody(error: AppError, callId: string): string {
  return JSON.stringify({
    success: false,
    error: error.message,
    code: error.code,
    errors: listErrors(error),
    // Where old clients look for it.
    message: bodyCodes.has(error.code) ? unreadableJson : undefined,
    request_id: callId,
  });
}

function listErrors({ code, problems }: AppError): string[] | undefined {
  if (code !== 'validation_failed') return undefined;
  return limitProblems(problems).map(({ path, problem }) => `${path} ${problem}`);
}

/** A fault of ours: nothing of it is said, so that its body is the same each time it is made. */
export function internalError(cause?: unknown): AppError {
  return new AppError('internal', 'internal error', { cause });
}

const bodyCodes = new Set<string>(['malformed_json', 'invalid_type']);
