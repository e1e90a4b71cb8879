// Generated from the gateway’s schemas by `npm run docs`. Do not edit.

import type { DataObject } from '../data-object';

/**
 * Recipient of the notification. Field names of an old client also work: userId, whatsappMobile,
 * onesignalExternalId, fcmTokens, iosTokens, fcmTopic, fcmDeviceGroup, onesignalPlayerIds, and
 * accessToken, channelId, chatId.
 */
export type Recipient = {
  /** A stored user. Fields of the request win over the stored ones. */
  user_id?: string | null | undefined;
  /** E-mail address. */
  email?: string | null | undefined;
  /**
   * Phone number with + and country code. Without +, it is also read in the default region of the
   * app, if one is set.
   */
  mobile?: string | null | undefined;
  /**
   * Phone number with + and country code. Without +, it is also read in the default region of the
   * app, if one is set.
   */
  whatsapp_mobile?: string | null | undefined;
  slack?: {
    /**
     * Token of the Slack app (xoxb-…, xoxp-…). Default: the token of the stored user, then that of
     * the integration.
     */
    access_token?: string | null | undefined;
    /** E-mail address of a Slack user. Used if the `channel_id` is missing or not found. */
    email?: string | null | undefined;
    /** Id of a channel (C…, G…, D…) or a user (U…, W…). It wins over `email`. */
    channel_id?: string | null | undefined;
  } | null | undefined;
  telegram?: {
    chat_id?: string | number | null | undefined;
  } | null | undefined;
  /**
   * OneSignal external id, at most 128 characters. OneSignal sends one message to every
   * subscription of the user.
   */
  onesignal_external_id?: string | null | undefined;
  /**
   * OneSignal subscription ids (UUIDs), formerly player ids; each gets a message. They replace a
   * stored external id and the stored devices. `onesignal_external_id` in the same request wins
   * over them, and the message has a warning.
   */
  onesignal_player_ids?: readonly string[] | null | undefined;
  /**
   * FCM registration tokens; each gets a message. Tokens, topics and device groups in the request
   * replace the stored devices.
   */
  fcm_tokens?: readonly string[] | null | undefined;
  /** FCM registration tokens of iOS apps, like `fcm_tokens`. Not APNs tokens. */
  ios_tokens?: readonly string[] | null | undefined;
  /** FCM topics; each gets a message. */
  fcm_topic?: string | readonly string[] | null | undefined;
  /**
   * Notification keys of FCM device groups; each gets a message. FCM removes device groups on
   * 2027-09-29.
   */
  fcm_device_group?: string | readonly string[] | null | undefined;
  preferences?: {
    /** Language of the templates, as a BCP 47 tag such as pt-BR. */
    locale?: string | null | undefined;
    disabled?: boolean | null | undefined;
    /** Preferences by channel. */
    channel_preferences?: { readonly [name: string]: {
      disabled?: boolean | null | undefined;
    } } | null | undefined;
    /** Preferences by category of the app, and by channel within it. */
    categories?: { readonly [name: string]: {
      disabled?: boolean | null | undefined;
      /** Preferences by channel. */
      channel_preferences?: { readonly [name: string]: {
        disabled?: boolean | null | undefined;
      } } | null | undefined;
    } } | null | undefined;
  } | null | undefined;
};

/** Content that replaces the templates in this request. Text is literal, not rendered. */
export type Override = {
  email?: {
    from?: {
      name?: string | null | undefined;
      address?: string | null | undefined;
    } | null | undefined;
    /** Each as an address or as `{name, address}`. */
    cc?: readonly (string | {
      name?: string | null | undefined;
      address?: string | null | undefined;
    })[] | null | undefined;
    /** Each as an address or as `{name, address}`. */
    bcc?: readonly (string | {
      name?: string | null | undefined;
      address?: string | null | undefined;
    })[] | null | undefined;
    reply_to?: string | null | undefined;
    attachments?: readonly ({
      file_name?: string | null | undefined;
      /** Base64. */
      content?: string | null | undefined;
      /** Fetched when the message is sent. https only. */
      url?: string | null | undefined;
      /** For example `text/calendar; method=REQUEST`. When empty, it follows from the file name. */
      content_type?: string | null | undefined;
      /** Lets the HTML show the file with `<img src="cid:…">`. */
      content_id?: string | null | undefined;
      /** Defaults to `inline` with a `content_id`, else `attachment`. */
      disposition?: 'attachment' | 'inline' | '' | null | undefined;
    })[] | {
      file_name?: string | null | undefined;
      /** Base64. */
      content?: string | null | undefined;
      /** Fetched when the message is sent. https only. */
      url?: string | null | undefined;
      /** For example `text/calendar; method=REQUEST`. When empty, it follows from the file name. */
      content_type?: string | null | undefined;
      /** Lets the HTML show the file with `<img src="cid:…">`. */
      content_id?: string | null | undefined;
      /** Defaults to `inline` with a `content_id`, else `attachment`. */
      disposition?: 'attachment' | 'inline' | '' | null | undefined;
    } | null | undefined;
    message?: {
      subject?: string | null | undefined;
      text?: string | null | undefined;
      html_body?: string | null | undefined;
    } | null | undefined;
    /**
     * When to send: epoch milliseconds (also as a string) or ISO 8601; UTC if it has no zone. 0 or
     * a past time means now. At most 366 days ahead.
     */
    schedule_at?: number | string | null | undefined;
  } | null | undefined;
  slack?: {
    message?: {
      text?: string | null | undefined;
      blocks?: readonly DataObject[] | DataObject | string | null | undefined;
    } | null | undefined;
    /**
     * When to send: epoch milliseconds (also as a string) or ISO 8601; UTC if it has no zone. 0 or
     * a past time means now. At most 366 days ahead.
     */
    schedule_at?: number | string | null | undefined;
  } | null | undefined;
  sms?: {
    sender?: string | null | undefined;
    message?: {
      text?: string | null | undefined;
      sender?: string | null | undefined;
    } | null | undefined;
    /**
     * When to send: epoch milliseconds (also as a string) or ISO 8601; UTC if it has no zone. 0 or
     * a past time means now. At most 366 days ahead.
     */
    schedule_at?: number | string | null | undefined;
  } | null | undefined;
  whatsapp?: {
    message?: {
      text?: string | null | undefined;
    } | null | undefined;
    /**
     * When to send: epoch milliseconds (also as a string) or ISO 8601; UTC if it has no zone. 0 or
     * a past time means now. At most 366 days ahead.
     */
    schedule_at?: number | string | null | undefined;
  } | null | undefined;
  telegram?: {
    message?: {
      text?: string | null | undefined;
      /** Arrives without a sound. */
      disable_notification?: boolean | null | undefined;
      /** Takes precedence over the template; false shows a preview. */
      disable_link_preview?: boolean | null | undefined;
    } | null | undefined;
    /**
     * When to send: epoch milliseconds (also as a string) or ISO 8601; UTC if it has no zone. 0 or
     * a past time means now. At most 366 days ahead.
     */
    schedule_at?: number | string | null | undefined;
  } | null | undefined;
  push?: {
    message?: {
      /** One line of plain text. */
      title?: string | null | undefined;
      /** Plain text. */
      body?: string | null | undefined;
      /** The http or https URL of an image. */
      image?: string | null | undefined;
      /** The link that a tap opens: a URL, or an app link such as shop://orders/7. */
      click_action?: string | null | undefined;
      data?: DataObject | null | undefined;
      /** The app displays the notification itself: title, body, image and link are in the data. */
      data_only?: boolean | null | undefined;
    } | null | undefined;
    /**
     * When to send: epoch milliseconds (also as a string) or ISO 8601; UTC if it has no zone. 0 or
     * a past time means now. At most 366 days ahead.
     */
    schedule_at?: number | string | null | undefined;
  } | null | undefined;
  onesignal?: {
    message?: {
      /** One line of plain text. */
      title?: string | null | undefined;
      /** Plain text. */
      body?: string | null | undefined;
      /** The http or https URL of an image. */
      image?: string | null | undefined;
      /** The link that a tap opens: a URL, or an app link such as shop://orders/7. */
      click_action?: string | null | undefined;
      data?: DataObject | null | undefined;
    } | null | undefined;
    /**
     * When to send: epoch milliseconds (also as a string) or ISO 8601; UTC if it has no zone. 0 or
     * a past time means now. At most 366 days ahead.
     */
    schedule_at?: number | string | null | undefined;
  } | null | undefined;
  in_app?: {
    message?: {
      title?: string | null | undefined;
      body?: string | null | undefined;
      /** The link that a click opens: an http, https or relative URL. */
      click_action?: string | null | undefined;
      /** An http, https or relative URL. */
      image?: string | null | undefined;
      data?: DataObject | null | undefined;
    } | null | undefined;
    /**
     * When to send: epoch milliseconds (also as a string) or ISO 8601; UTC if it has no zone. 0 or
     * a past time means now. At most 366 days ahead.
     */
    schedule_at?: number | string | null | undefined;
  } | null | undefined;
  /**
   * By integration name: `payload` is merged last into the request to the provider, if the provider
   * allows its fields.
   */
  providers?: DataObject | null | undefined;
};

export type SendEventBody = {
  /** Name of the configured event. */
  event: string;
  /** Values for the placeholders of the templates. Null prints nothing. */
  data?: DataObject | null | undefined;
  /**
   * Recipient of the notification. Field names of an old client also work: userId, whatsappMobile,
   * onesignalExternalId, fcmTokens, iosTokens, fcmTopic, fcmDeviceGroup, onesignalPlayerIds, and
   * accessToken, channelId, chatId.
   */
  user?: Recipient | null | undefined;
  /** Content that replaces the templates in this request. Text is literal, not rendered. */
  override?: Override | null | undefined;
  /**
   * When to send: epoch milliseconds (also as a string) or ISO 8601; UTC if it has no zone. 0 or a
   * past time means now. At most 366 days ahead.
   */
  schedule_at?: number | string | null | undefined;
  /**
   * Language of the template, as a BCP 47 tag such as pt-BR. `user.preferences.locale` has the same
   * meaning and wins. `de_AT` matches `de`. Without a match, the default language is used.
   */
  locale?: string | null | undefined;
  /**
   * Your own texts about this message, such as an order number: at most 50 keys of 1 to 64
   * characters, with values of at most 500 characters. The status of the request returns them, and
   * the log of the dashboard finds the request by `key:value`. Templates cannot use them. They are
   * not sealed, also for sensitive events, so put no secret into them.
   */
  metadata?: { readonly [name: string]: string } | null | undefined;
  /**
   * Your name for what this message is about, such as `order-A-1001`. `events/cancel` cancels all
   * messages of the app with this key. Many sends can share a key. Compared as bytes.
   */
  cancel_key?: string | null | undefined;
};

export type SendEventAnswer = {
  request_id: string;
  id: string;
  success: boolean;
};

export type DryRunAnswer = {
  success: true;
  dry_run: true;
  /** Delivery mode of the app. */
  delivery: 'sandbox' | 'live';
  /** One entry for each target, and one for each channel without a target. */
  messages: readonly ({
    channel: string;
    would: 'send' | 'skip' | 'fail';
    /** Why the message would not be sent. */
    reason?: string;
    /** The reason as a sentence. */
    detail?: string;
    /** Selected address. */
    target?: string;
    /** Name of the integration. Absent in a sandbox app. */
    integration?: string;
    /** Absent if the channel needs an integration and has none. */
    provider?: string;
    /** Unix milliseconds. Present if the message is due later. */
    due_at?: number;
    /** The provider request, without credentials. */
    request?: {
      operation: string;
      body: unknown;
    };
    notes?: { readonly [name: string]: unknown };
    warnings: readonly string[];
  })[];
};

export type BulkElement = {
  /** Values for the placeholders of the templates. Null prints nothing. */
  data?: DataObject | null | undefined;
  /**
   * Recipient of the notification. Field names of an old client also work: userId, whatsappMobile,
   * onesignalExternalId, fcmTokens, iosTokens, fcmTopic, fcmDeviceGroup, onesignalPlayerIds, and
   * accessToken, channelId, chatId.
   */
  user: Recipient;
  /** Content that replaces the templates in this request. Text is literal, not rendered. */
  override?: Override | null | undefined;
  /**
   * When to send: epoch milliseconds (also as a string) or ISO 8601; UTC if it has no zone. 0 or a
   * past time means now. At most 366 days ahead.
   */
  schedule_at?: number | string | null | undefined;
  /**
   * Language of the template, as a BCP 47 tag such as pt-BR. `user.preferences.locale` has the same
   * meaning and wins. `de_AT` matches `de`. Without a match, the default language is used.
   */
  locale?: string | null | undefined;
  /**
   * Your own texts about this message, such as an order number: at most 50 keys of 1 to 64
   * characters, with values of at most 500 characters. The status of the request returns them, and
   * the log of the dashboard finds the request by `key:value`. Templates cannot use them. They are
   * not sealed, also for sensitive events, so put no secret into them.
   */
  metadata?: { readonly [name: string]: string } | null | undefined;
  /**
   * Your name for what this message is about, such as `order-A-1001`. `events/cancel` cancels all
   * messages of the app with this key. Many sends can share a key. Compared as bytes.
   */
  cancel_key?: string | null | undefined;
};

export type BulkSendBody = {
  /** Name of the configured event. */
  event: string;
  batch: readonly BulkElement[];
  /** Content that replaces the templates in this request. Text is literal, not rendered. */
  override?: Override | null | undefined;
  /**
   * When to send: epoch milliseconds (also as a string) or ISO 8601; UTC if it has no zone. 0 or a
   * past time means now. At most 366 days ahead.
   */
  schedule_at?: number | string | null | undefined;
  /**
   * Language of the template, as a BCP 47 tag such as pt-BR. `user.preferences.locale` has the same
   * meaning and wins. `de_AT` matches `de`. Without a match, the default language is used.
   */
  locale?: string | null | undefined;
  /**
   * Your own texts about this message, such as an order number: at most 50 keys of 1 to 64
   * characters, with values of at most 500 characters. The status of the request returns them, and
   * the log of the dashboard finds the request by `key:value`. Templates cannot use them. They are
   * not sealed, also for sensitive events, so put no secret into them.
   */
  metadata?: { readonly [name: string]: string } | null | undefined;
  /**
   * Your name for what this message is about, such as `order-A-1001`. `events/cancel` cancels all
   * messages of the app with this key. Many sends can share a key. Compared as bytes.
   */
  cancel_key?: string | null | undefined;
};

export type BulkSendAnswer = {
  request_id: string;
  id: string;
  success: boolean;
  /** Number of elements in the batch. */
  accepted: number;
};

export type CancelBody = {
  /** The `cancel_key` of the sends. */
  cancel_key?: string | null | undefined;
  /** The `request_id` of one send, instead of a `cancel_key`. */
  request_id?: string | null | undefined;
  /**
   * Cancels only messages whose `user` had one of these `user_id`s; at most 1,000. Without it, all.
   */
  user_ids?: readonly string[] | null | undefined;
  /** `next` of the previous response, to cancel the rest. */
  cursor?: string | null | undefined;
};

export type CancelAnswer = {
  /**
   * Messages that are cancelled, by this call or before. An item that was not planned yet counts
   * once for each channel of the event.
   */
  cancelled: number;
  /**
   * Messages that could not be cancelled: a provider is being called or was called, or they are
   * final.
   */
  too_late: number;
  /**
   * Values that match no message: each of the `user_ids`, or, without `user_ids`, the `cancel_key`.
   */
  unknown: number;
  /** More messages have this key: repeat the call with this `cursor`. */
  next?: string;
};

/** Every message counts in exactly one state; `total` is the sum. */
export type StateCounts = {
  total: number;
  /** Queued, sending, or not planned yet. */
  waiting: number;
  sent: number;
  delivered: number;
  read: number;
  failed: number;
  unknown: number;
  skipped: number;
  /** `skipped` by reason. */
  skipped_by_reason: { readonly [name: string]: number };
};

export type RequestMessage = {
  /**
   * Absent if the item has no message on this channel: it was skipped, or the item is not planned
   * yet.
   */
  id?: string;
  /** Index of the element in the batch; 0 for a single send. */
  item: number;
  channel: string;
  /** The address, masked. */
  target?: string;
  state: 'queued' | 'sending' | 'unknown' | 'sent' | 'delivered' | 'read' | 'skipped' | 'failed';
  /** Why it was skipped or failed. */
  reason?: string;
  /** 0 for the first message; each resend adds 1. */
  generation: number;
  /** The message that this one resends. */
  resend_of?: string;
  /** The message that resends this one. A message with `resent_as` is not counted. */
  resent_as?: string;
  /** `metadata` of the item. */
  metadata?: { readonly [name: string]: string };
  /** Unix milliseconds: when it was planned. */
  created_at?: number;
  /** Unix milliseconds: earliest time of the next attempt. */
  due_at?: number;
  /** Unix milliseconds: when it first reached a final state. */
  settled_at?: number;
};

export type RequestStatus = {
  request_id: string;
  event: string;
  kind: 'single' | 'bulk' | 'test';
  /** Unix milliseconds: when the request was stored. */
  accepted_at: number;
  /** The trace of the send; absent if it had none. */
  trace_id?: string;
  /** Number of elements in the batch; 1 for a single send. */
  items: number;
  /** Number of items whose messages are planned. */
  planned_items: number;
  /** Every message counts in exactly one state; `total` is the sum. */
  counts: StateCounts;
  /** The counts by channel of the event. */
  channels: { readonly [name: string]: StateCounts };
  /** One page, in the order of the items. */
  messages: readonly RequestMessage[];
  /** The `cursor` of the next page; absent on the last one. */
  next?: string;
};

/** Null or an empty string counts as absent. */
export type NewDeviceBody = {
  /** FCM registration token. Only one device of an app can have it. */
  fcm_token?: string | null | undefined;
  /**
   * Web push subscription, as `PushSubscription.toJSON()` returns it. Not together with
   * `fcm_token`.
   */
  push_subscription?: {
    /** URL of the push service. Only one device of an app can have it. */
    endpoint: string;
    keys: {
      p256dh: string;
      auth: string;
    };
    /** Stored and returned. Only the push service ends a subscription. */
    expirationTime?: number | null | undefined;
  } | null | undefined;
  /** `android`, `web` or `ios`, in any letter case. */
  platform?: 'android' | 'web' | 'ios' | null | undefined;
  /** The client’s own id of the device. */
  id?: string | null | undefined;
  /** Writing an `fcm_token` or a `push_subscription` without it sets it to false. */
  notifications_disabled?: boolean | null | undefined;
  /**
   * OneSignal subscription id (a UUID). It receives OneSignal messages if neither the user nor the
   * request has an external id, and the request has no `onesignal_player_ids`.
   */
  onesignal_player_id?: string | null | undefined;
  /** Stored and returned. No message is sent to it. */
  xiaomi_token?: string | null | undefined;
  /** Stored and returned. No message is sent to it. */
  oppo_token?: string | null | undefined;
  /** Stored and returned. No message is sent to it. */
  vivo_token?: string | null | undefined;
  /** Stored and returned. No message is sent to it. */
  huaweiToken?: string | null | undefined;
  /** An existing device of this user, which is updated. */
  device_sid?: string | null | undefined;
};

/** Null, an empty string or an absent field changes nothing. */
export type DeviceBody = {
  /** FCM registration token. Only one device of an app can have it. */
  fcm_token?: string | null | undefined;
  /**
   * Web push subscription, as `PushSubscription.toJSON()` returns it. Not together with
   * `fcm_token`.
   */
  push_subscription?: {
    /** URL of the push service. Only one device of an app can have it. */
    endpoint: string;
    keys: {
      p256dh: string;
      auth: string;
    };
    /** Stored and returned. Only the push service ends a subscription. */
    expirationTime?: number | null | undefined;
  } | null | undefined;
  /** `android`, `web` or `ios`, in any letter case. */
  platform?: 'android' | 'web' | 'ios' | null | undefined;
  /** The client’s own id of the device. */
  id?: string | null | undefined;
  /** Writing an `fcm_token` or a `push_subscription` without it sets it to false. */
  notifications_disabled?: boolean | null | undefined;
  /**
   * OneSignal subscription id (a UUID). It receives OneSignal messages if neither the user nor the
   * request has an external id, and the request has no `onesignal_player_ids`.
   */
  onesignal_player_id?: string | null | undefined;
  /** Stored and returned. No message is sent to it. */
  xiaomi_token?: string | null | undefined;
  /** Stored and returned. No message is sent to it. */
  oppo_token?: string | null | undefined;
  /** Stored and returned. No message is sent to it. */
  vivo_token?: string | null | undefined;
  /** Stored and returned. No message is sent to it. */
  huaweiToken?: string | null | undefined;
};

export type Device = {
  /** The client’s own id of the device, else its `device_sid`. */
  id: string;
  device_sid: string;
  /** The `user_id` of the owner. */
  raven_id: string;
  fcm_token?: string;
  /**
   * Web push subscription, as `PushSubscription.toJSON()` returns it. Not together with
   * `fcm_token`.
   */
  push_subscription?: {
    /** URL of the push service. Only one device of an app can have it. */
    endpoint: string;
    keys: {
      p256dh: string;
      auth: string;
    };
    /** Stored and returned. Only the push service ends a subscription. */
    expirationTime?: number;
  };
  platform?: 'android' | 'web' | 'ios';
  notifications_disabled: boolean;
  /**
   * OneSignal subscription id (a UUID). It receives OneSignal messages if neither the user nor the
   * request has an external id, and the request has no `onesignal_player_ids`.
   */
  onesignal_player_id?: string;
  /** Stored and returned. No message is sent to it. */
  xiaomi_token?: string;
  /** Stored and returned. No message is sent to it. */
  oppo_token?: string;
  /** Stored and returned. No message is sent to it. */
  vivo_token?: string;
  /** Stored and returned. No message is sent to it. */
  huaweiToken?: string;
  /** Unix milliseconds. */
  created_at: number;
  /** Unix milliseconds. */
  updated_at: number;
};

export type DeleteDeviceAnswer = {
  success: boolean;
};

export type PushStatusBody = {
  /** `raven_notification_id` in the data of the notification. */
  notification_id: string;
  type: 'DELIVERED' | 'CLICKED' | 'DISMISSED';
  timestamp?: string | number | null | undefined;
  current_timestamp?: string | number | null | undefined;
};

export type PushStatusAnswer = DeleteDeviceAnswer;

/** Null or an absent field changes nothing. An empty string clears its field. */
export type UserBody = {
  /** Chosen by the client and compared byte by byte. */
  user_id: string;
  /** E-mail address. */
  email?: string | null | undefined;
  /**
   * Phone number with + and country code. Without +, it is also read in the default region of the
   * app, if one is set.
   */
  mobile?: string | null | undefined;
  /**
   * Phone number with + and country code. Without +, it is also read in the default region of the
   * app, if one is set.
   */
  whatsapp_mobile?: string | null | undefined;
  slack?: {
    /**
     * Token of the Slack app (xoxb-…, xoxp-…). Default: the token of the stored user, then that of
     * the integration.
     */
    access_token?: string | null | undefined;
    /** E-mail address of a Slack user. Used if the `channel_id` is missing or not found. */
    email?: string | null | undefined;
    /** Id of a channel (C…, G…, D…) or a user (U…, W…). It wins over `email`. */
    channel_id?: string | null | undefined;
  } | null | undefined;
  telegram?: {
    chat_id?: string | number | null | undefined;
  } | null | undefined;
  /**
   * OneSignal external id, at most 128 characters. OneSignal sends one message to every
   * subscription of the user.
   */
  onesignal_external_id?: string | null | undefined;
  preferences?: {
    /** Language of the templates, as a BCP 47 tag such as pt-BR. */
    locale?: string | null | undefined;
    disabled?: boolean | null | undefined;
    /** Preferences by channel. */
    channel_preferences?: { readonly [name: string]: {
      disabled?: boolean | null | undefined;
    } } | null | undefined;
    /** Preferences by category of the app, and by channel within it. */
    categories?: { readonly [name: string]: {
      disabled?: boolean | null | undefined;
      /** Preferences by channel. */
      channel_preferences?: { readonly [name: string]: {
        disabled?: boolean | null | undefined;
      } } | null | undefined;
    } } | null | undefined;
  } | null | undefined;
};

export type User = {
  user_sid: string;
  user_id: string;
  email?: string;
  mobile?: string;
  whatsapp_mobile?: string;
  slack?: {
    /** Masked; empty if none is stored. A mask in a user write changes nothing. */
    access_token: string;
    channel_id?: string;
    email?: string;
  };
  telegram?: {
    chat_id?: string;
  };
  onesignal_external_id?: string;
  preferences?: {
    /** Language of the templates, as a BCP 47 tag such as pt-BR. */
    locale?: string;
    disabled?: boolean;
    /** Preferences by channel. */
    channel_preferences?: { readonly [name: string]: {
      disabled?: boolean;
    } };
    /** Preferences by category of the app, and by channel within it. */
    categories?: { readonly [name: string]: {
      disabled?: boolean;
      /** Preferences by channel. */
      channel_preferences?: { readonly [name: string]: {
        disabled?: boolean;
      } };
    } };
  };
  /** Newest first, at most 100. */
  devices: readonly Device[];
  /** Unix milliseconds. */
  created_at: number;
  /** Unix milliseconds. */
  updated_at: number;
};

/**
 * Replaces all stored preferences: what is absent is on again. An absent `locale` stays unchanged.
 */
export type PreferencesBody = {
  /** Language of the templates, as a BCP 47 tag such as pt-BR. */
  locale?: string | null | undefined;
  disabled?: boolean | null | undefined;
  /** Preferences by channel. */
  channel_preferences?: { readonly [name: string]: {
    disabled?: boolean | null | undefined;
  } } | null | undefined;
  /** Preferences by category of the app, and by channel within it. */
  categories?: { readonly [name: string]: {
    disabled?: boolean | null | undefined;
    /** Preferences by channel. */
    channel_preferences?: { readonly [name: string]: {
      disabled?: boolean | null | undefined;
    } } | null | undefined;
  } } | null | undefined;
};

export type Preferences = {
  /** Language of the templates, as a BCP 47 tag such as pt-BR. */
  locale?: string;
  /** Everything is off, apart from more specific preferences. */
  disabled: boolean;
  /** Preferences by channel. */
  channel_preferences?: { readonly [name: string]: {
    disabled?: boolean;
  } };
  /** Preferences by category of the app, and by channel within it. */
  categories?: { readonly [name: string]: {
    disabled?: boolean;
    /** Preferences by channel. */
    channel_preferences?: { readonly [name: string]: {
      disabled?: boolean;
    } };
  } };
};

export type Inbox = {
  /** Newest first. */
  notifications: readonly ({
    message_id: string;
    /** Plain text: escape it before showing it. */
    message_body: {
      title: string;
      body: string;
      click_action?: string;
      image?: string;
      data: object;
    };
    /** When it was delivered, in Unix milliseconds. */
    timestamp: number;
    status: 'UNREAD' | 'READ' | 'ARCHIVE';
    /** When it was seen, in Unix milliseconds; null if it is unseen. */
    seen_at: number | null;
    /** When it was read; null if it is unread. */
    read_at: number | null;
    /** When it was archived; null if it is not archived. */
    archived_at: number | null;
  })[];
  /** The `last_message_id` for the next page, if there is one. */
  next?: string;
};

export type CapturedMessage = {
  id: string;
  request_id?: string;
  message_id: string;
  event?: string;
  channel: string;
  /** The address in the form that the provider receives. */
  to: string;
  /** Subject of an e-mail; title of a push or in-app message. */
  subject?: string;
  /** The text that the recipient reads, on every channel. */
  text?: string;
  /** HTML of an e-mail. */
  html?: string;
  /** The complete content, as the channel composed it. */
  content: unknown;
  /** `data` of the request. */
  data?: object;
  /** The provider that would have been called. */
  provider: string;
  /** The call to the provider: `operation` and `body`, without credentials. */
  request: unknown;
  /** Number of the attempt. Each attempt is captured. */
  attempt: number;
  /** accepted; or rejected, retry or unknown if a magic recipient requests it. */
  outcome: string;
  /** Unix milliseconds. */
  captured_at: number;
};

export type SandboxWaitAnswer = {
  /** Newest first; empty if the wait ended without a message. */
  messages: readonly CapturedMessage[];
  /** Pass it as `after` in a later call to get only newer captures. */
  next: string;
};

export type WebhookType = 'message.sent' | 'message.delivered' | 'message.read' | 'message.failed' | 'message.skipped' | 'message.unknown' | 'request.completed' | 'device.disabled' | 'address.suppressed' | 'user.unsubscribed' | 'integration.needs_attention' | 'alert.fired' | 'alert.resolved';

export type NewWebhookBody = {
  /** https, port 443, a public host, no user name or password. */
  url: string;
  /** The event types that it gets. Default: all. */
  types?: readonly WebhookType[] | null | undefined;
  description?: string | null | undefined;
};

/** Absent fields stay unchanged. */
export type WebhookBody = {
  /** https, port 443, a public host, no user name or password. */
  url?: string | null | undefined;
  /** The event types that it gets. Default: all. */
  types?: readonly WebhookType[] | null | undefined;
  description?: string | null | undefined;
  /** true ends a disabling and forgets earlier failures; false stops all deliveries. */
  enabled?: boolean | null | undefined;
};

export type Webhook = {
  id: string;
  url: string;
  types: readonly WebhookType[];
  description: string;
  enabled: boolean;
  /** Unix milliseconds. */
  disabled_at?: number;
  disabled_reason?: 'gone' | 'failing' | 'manual';
  /** Unix milliseconds: the first failure since the last success. */
  failing_since?: number;
  last_error?: string;
  /** Unix milliseconds: until then, both secrets sign. */
  previous_secret_ends_at?: number;
  /** Unix milliseconds. */
  created_at: number;
  /** Unix milliseconds. */
  updated_at: number;
};

export type WebhookWithSecret = {
  id: string;
  url: string;
  types: readonly WebhookType[];
  description: string;
  enabled: boolean;
  /** Unix milliseconds. */
  disabled_at?: number;
  disabled_reason?: 'gone' | 'failing' | 'manual';
  /** Unix milliseconds: the first failure since the last success. */
  failing_since?: number;
  last_error?: string;
  /** Unix milliseconds: until then, both secrets sign. */
  previous_secret_ends_at?: number;
  /** Unix milliseconds. */
  created_at: number;
  /** Unix milliseconds. */
  updated_at: number;
  /** Signs the webhooks. It is not shown again. */
  secret: string;
};

export type WebhookList = {
  webhooks: readonly Webhook[];
};

export type DeleteWebhookAnswer = PushStatusAnswer;

export type WebhookMessage = {
  app_id: string;
  request_id: string;
  /** Index of the element in the batch; 0 for a single send. */
  item: number;
  /** Absent if planning skipped the channel, so that there is no message. */
  message_id?: string;
  /** Name of the event. Absent after retention deleted the request. */
  event?: string;
  /** Absent if the request named none, and after the user was erased. */
  user_id?: string;
  channel: string;
  /** The address, masked. Absent for sensitive events, and after the user was erased. */
  target?: string;
  state: 'queued' | 'sending' | 'unknown' | 'sent' | 'delivered' | 'read' | 'skipped' | 'failed';
  /** Why it was skipped or failed. */
  reason?: string;
  /** Provider calls until then. */
  attempts?: number;
  /** An earlier attempt may have been sent too. */
  possible_duplicate?: boolean;
  /** 0 for the first message; each resend adds 1. */
  generation?: number;
  /** The message that this one resends. */
  resend_of?: string;
  /** `metadata` of the send. Absent for sensitive events. */
  metadata?: { readonly [name: string]: string };
  /** The body would exceed 20,000 bytes with `metadata`. */
  metadata_omitted?: boolean;
  /** True for an example, and for a test send from the dashboard. */
  test?: boolean;
};

export type WebhookEvent = {
  type: 'message.sent';
  /** ISO 8601: when it happened. */
  timestamp: string;
  data: WebhookMessage;
} | {
  type: 'message.delivered';
  /** ISO 8601: when it happened. */
  timestamp: string;
  data: WebhookMessage;
} | {
  type: 'message.read';
  /** ISO 8601: when it happened. */
  timestamp: string;
  data: WebhookMessage;
} | {
  type: 'message.failed';
  /** ISO 8601: when it happened. */
  timestamp: string;
  data: WebhookMessage;
} | {
  type: 'message.skipped';
  /** ISO 8601: when it happened. */
  timestamp: string;
  data: WebhookMessage;
} | {
  type: 'message.unknown';
  /** ISO 8601: when it happened. */
  timestamp: string;
  data: WebhookMessage;
} | {
  type: 'request.completed';
  /** ISO 8601: when it happened. */
  timestamp: string;
  data: {
    app_id: string;
    request_id: string;
    event?: string;
    /** Number of elements in the batch. */
    items: number;
    /** Every message counts in exactly one state; `total` is the sum. */
    counts: StateCounts;
    /** True for an example, and for a test send from the dashboard. */
    test?: boolean;
  };
} | {
  type: 'device.disabled';
  /** ISO 8601: when it happened. */
  timestamp: string;
  data: {
    app_id: string;
    device_sid: string;
    /** Absent after the device or its user was removed. */
    user_id?: string;
    platform?: string;
    /** The code of the provider. */
    reason: string;
    /** True for an example, and for a test send from the dashboard. */
    test?: boolean;
  };
} | {
  type: 'address.suppressed';
  /** ISO 8601: when it happened. */
  timestamp: string;
  data: {
    app_id: string;
    suppression_id: string;
    channel: string;
    /** The address, masked. Absent after the suppression was removed. */
    target?: string;
    /** The sender that it applies to. Absent if it applies to every sender. */
    sender?: string;
    reason: string;
    /** True for an example, and for a test send from the dashboard. */
    test?: boolean;
  };
} | {
  type: 'user.unsubscribed';
  /** ISO 8601: when it happened. */
  timestamp: string;
  data: {
    app_id: string;
    user_sid: string;
    /** Absent after the user was removed. */
    user_id?: string;
    /** The channel that was switched off; null for all channels. */
    channel: string | null;
    /** The category that was switched off; null for all categories. */
    category: string | null;
    /** How it was switched off. */
    source: 'api' | 'dashboard' | 'link' | 'reply';
    /** True for an example, and for a test send from the dashboard. */
    test?: boolean;
  };
} | {
  type: 'integration.needs_attention';
  /** ISO 8601: when it happened. */
  timestamp: string;
  data: {
    app_id: string;
    integration_id: string;
    /** Absent after the integration was removed. */
    name?: string;
    channel: string;
    provider: string;
    /** The answer of the provider. */
    reason?: string;
    /** True for an example, and for a test send from the dashboard. */
    test?: boolean;
  };
} | {
  type: 'alert.fired';
  /** ISO 8601: when it happened. */
  timestamp: string;
  data: {
    app_id: string;
    /** The same when it fires and resolves. */
    alert_id: string;
    rule_id: string;
    kind: 'failure_rate' | 'oldest_waiting' | 'integration_failing' | 'circuit_open' | 'no_worker' | 'receipts_stopped';
    /** The rule in words. */
    rule: string;
    /** What was found, with figures. */
    sentence: string;
    /** True for an example, and for a test send from the dashboard. */
    test?: boolean;
  };
} | {
  type: 'alert.resolved';
  /** ISO 8601: when it happened. */
  timestamp: string;
  data: {
    app_id: string;
    /** The same when it fires and resolves. */
    alert_id: string;
    rule_id: string;
    kind: 'failure_rate' | 'oldest_waiting' | 'integration_failing' | 'circuit_open' | 'no_worker' | 'receipts_stopped';
    /** The rule in words. */
    rule: string;
    /** What was found, with figures. */
    sentence: string;
    /** True for an example, and for a test send from the dashboard. */
    test?: boolean;
  };
};

export type WebhookDelivery = {
  /** The header `webhook-id`. */
  id: string;
  type: string;
  outcome: 'waiting' | 'delivered' | 'failed';
  /** Unix milliseconds. */
  occurred_at: number;
  /** Unix milliseconds: the next try. */
  next_at?: number;
  /** The last 20 tries, oldest first. */
  tries: readonly ({
    /** Unix milliseconds. */
    at: number;
    /** Duration in milliseconds. */
    ms: number;
    /** Absent if there was no answer. */
    status?: number;
    /** The first 1,024 bytes of the answer. */
    answer?: string;
    /** Why the try failed. */
    error?: string;
  })[];
  body: WebhookEvent;
};

export type WebhookDeliveryList = {
  /** Newest first. */
  deliveries: readonly WebhookDelivery[];
  /** The `before` of the next page; absent on the last one. */
  next?: string;
};

export type WebhookExampleBody = {
  type: WebhookType;
};

export type ResendFailedAnswer = {
  /** How many deliveries are queued again. */
  resent: number;
};

/** The `code` of a gateway error. */
export type GatewayErrorCode =
  | 'bad_request'
  | 'malformed_json'
  | 'invalid_type'
  | 'hostile_json'
  | 'idempotency_key_invalid'
  | 'event_not_live'
  | 'unauthenticated'
  | 'https_required'
  | 'signature_invalid'
  | 'app_not_found'
  | 'event_not_found'
  | 'user_not_found'
  | 'device_not_found'
  | 'request_not_found'
  | 'message_not_found'
  | 'push_not_configured'
  | 'webhook_not_found'
  | 'webhook_delivery_not_found'
  | 'not_found'
  | 'request_timeout'
  | 'idempotency_conflict'
  | 'body_too_large'
  | 'unsupported_media_type'
  | 'validation_failed'
  | 'too_many_webhooks'
  | 'too_complex'
  | 'idempotency_mismatch'
  | 'rate_limited'
  | 'too_many_streams'
  | 'storage_limit'
  | 'headers_too_large'
  | 'internal'
  | 'unsupported_transfer_encoding'
  | 'unavailable';
