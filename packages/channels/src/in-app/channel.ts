import type { Channel } from '../channel';
import { compileInApp } from './compose';
import { inbox } from './inbox';
import { findInAppTargets, findMagicWordOfUser } from './target';
import {
  type InAppContent,
  type InAppOverride,
  type InAppTemplate,
  inAppOverride,
  inAppTemplate,
} from './template';

export const inApp: Channel<InAppTemplate, InAppOverride, InAppContent> = {
  label: 'In-app',
  template: inAppTemplate,
  override: inAppOverride,
  recipient: {},
  deadlineMs: 5_000,
  // The inbox item is unique per message, so a second delivery is harmless.
  unknownResends: 3,
  isBuiltIn: true,
  findTargets: findInAppTargets,
  compile: compileInApp,
  findMagicWord: findMagicWordOfUser,
  providers: { inbox },
};
