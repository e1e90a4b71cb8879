import type { Channel } from '../channel';
import { compileSlack } from './compose';
import { findMagicWordOfSlack, findSlackTargets, isSharedSlackTarget } from './target';
import {
  type SlackContent,
  type SlackOverride,
  type SlackTemplate,
  slackOverride,
  slackTemplate,
} from './template';
import { slackWebApi } from './web-api';

export const slack: Channel<SlackTemplate, SlackOverride, SlackContent> = {
  label: 'Slack',
  template: slackTemplate,
  override: slackOverride,
  recipient: {},
  deadlineMs: 15_000,
  unknownResends: 1,
  findTargets: findSlackTargets,
  isShared: isSharedSlackTarget,
  findOwnToken: (recipient) => recipient.slack?.accessToken,
  compile: compileSlack,
  findMagicWord: findMagicWordOfSlack,
  providers: { slack: slackWebApi },
};
