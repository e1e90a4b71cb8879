import { AppError, isDeviceId, isUserId, isUuid } from '@belfry/shared';
import type { RouteCall } from './post';

type Path = RouteCall['path'];

/** The `app_id` of a path in lower case, or undefined if it is not a UUID. Express types parameters wider than they are. */
export function parseAppId({
  app_id: appId,
}: {
  readonly [name: string]: unknown;
}): string | undefined {
  return typeof appId === 'string' && isUuid(appId) ? appId.toLowerCase() : undefined;
}

/** The `user_id` of a path. An invalid one is an unknown user. */
export function readUserId({ user_id: userId }: Path): string {
  if (userId === undefined || !isUserId(userId)) {
    throw new AppError('user_not_found');
  }
  return userId;
}

/** The `request_id` of a path in lower case. An invalid one is an unknown request. */
export function readRequestId({ request_id: requestId }: Path): string {
  if (requestId === undefined || !isUuid(requestId)) throw new AppError('request_not_found');
  return requestId.toLowerCase();
}

/** The `device_id` of a path. An invalid one is not refused here, because an unknown user must be reported first. */
export function readDeviceId({ device_id: deviceId }: Path): string {
  return deviceId !== undefined && isDeviceId(deviceId) ? deviceId : '';
}
