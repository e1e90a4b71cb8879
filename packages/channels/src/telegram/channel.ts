import type { Channel } from '../channel';
import { telegramBotApi } from './bot-api';
import { compileTelegram } from './compose';
import { findMagicWordOfTelegram, findTelegramTargets, isSharedTelegramTarget } from './target';
import {
  type TelegramContent,
  type TelegramOverride,
  type TelegramTemplate,
  telegramOverride,
  telegramTemplate,
} from './template';

export const telegram: Channel<TelegramTemplate, TelegramOverride, TelegramContent> = {
  label: 'Telegram',
  template: telegramTemplate,
  override: telegramOverride,
  recipient: {},
  deadlineMs: 15_000,
  unknownResends: 1,
  findTargets: findTelegramTargets,
  isShared: isSharedTelegramTarget,
  compile: compileTelegram,
  findMagicWord: findMagicWordOfTelegram,
  providers: { telegram: telegramBotApi },
};
