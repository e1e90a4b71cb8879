import type { Channel } from '../channel';
import { tokenRequestTimeoutMs } from './access-tokens';
import { compilePush } from './compose';
import { fcm } from './fcm';
import {
  findMagicWordOfPush,
  findPushTargets,
  getPushProvider,
  isSharedPushTarget,
} from './target';
import {
  type PushContent,
  type PushOverride,
  type PushTemplate,
  pushOverride,
  pushTemplate,
} from './template';
import { webPush } from './web-push';

export const push: Channel<PushTemplate, PushOverride, PushContent> = {
  label: 'Push',
  template: pushTemplate,
  override: pushOverride,
  recipient: {},
  deadlineMs: 15_000,
  preparationMs: tokenRequestTimeoutMs,
  // The second notification replaces the first one on the device.
  unknownResends: 2,
  findTargets: findPushTargets,
  isShared: isSharedPushTarget,
  compile: compilePush,
  findMagicWord: findMagicWordOfPush,
  getTargetProvider: getPushProvider,
  providers: { fcm, web_push: webPush },
};
