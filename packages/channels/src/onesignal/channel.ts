import type { Channel } from '../channel';
import { compileOnesignal } from './compose';
import { onesignalApi } from './onesignal';
import { findMagicWordOfOnesignal, findOnesignalTargets } from './target';
import {
  type OnesignalContent,
  type OnesignalOverride,
  type OnesignalTemplate,
  onesignalOverride,
  onesignalTemplate,
} from './template';

export const onesignal: Channel<OnesignalTemplate, OnesignalOverride, OnesignalContent> = {
  label: 'OneSignal',
  template: onesignalTemplate,
  override: onesignalOverride,
  recipient: {},
  deadlineMs: 15_000,
  // OneSignal recognizes the second request by its key, and does not send twice.
  unknownResends: 3,
  findTargets: findOnesignalTargets,
  compile: compileOnesignal,
  findMagicWord: findMagicWordOfOnesignal,
  providers: { onesignal: onesignalApi },
};
