import { AppError, isDeviceId, isUserId, isUuid } from '@belfry/shared';

/** Decoded path parameters by name. */
export type PathParameters = Readonly<Record<string, string>>;

/** The `user_id` of a path. An invalid one is an unknown user. */
export function readUserId({ user_id: userId }: PathParameters): string {
  if (userId === undefined || !isUserId(userId)) {
    throw new AppError('user_not_found');
  }
  return userId;
}

/** The `request_id` of a path in lower case. An invalid one is an unknown request. */
export function readRequestId({ request_id: requestId }: PathParameters): string {
  if (requestId === undefined || !isUuid(requestId)) throw new AppError('request_not_found');
  return requestId.toLowerCase();
}

/** The `device_id` of a path. An invalid one is not refused here, because an unknown user must be reported first. */
export function readDeviceId({ device_id: deviceId }: PathParameters): string {
  return deviceId !== undefined && isDeviceId(deviceId) ? deviceId : '';
}
