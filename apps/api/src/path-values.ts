import { AppError, isDeviceId, isUserId, isUuid } from '@belfry/shared';
import type { RouteCall } from './post';

type Path = RouteCall['path'];

/** The `app_id` of a path in lower case; undefined for what can be no app's. Express types it wider than it is. */
export function parseAppId({
  app_id: appId,
}: {
  readonly [name: string]: unknown;
}): string | undefined {
  return typeof appId === 'string' && isUuid(appId) ? appId.toLowerCase() : undefined;
}

/** The `user_id` of a path; what no user can have is a user that does not exist. */
export function readUserId({ user_id: userId }: Path): string {
  if (userId === undefined || !isUserId(userId)) {
    throw new AppError('user_not_found');
  }
  return userId;
}

/** The `request_id` of a path in lower case; what no request can have is a request that does not exist. */
export function readRequestId({ request_id: requestId }: Path): string {
  if (requestId === undefined || !isUuid(requestId)) throw new AppError('request_not_found');
  return requestId.toLowerCase();
}

/** The `device_id` of a path. Whether its user exists is asked of the store, so nothing is refused here. */
export function readDeviceId({ device_id: deviceId }: Path): string {
  return deviceId !== undefined && isDeviceId(deviceId) ? deviceId : '';
}
