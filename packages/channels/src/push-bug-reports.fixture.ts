import { tested } from './bug-report.fixture';

const onesignal = 'channels/src/onesignal/onesignal.test.ts';
const push = 'channels/src/push';
const asText = 'has only text in its data, and leaves out null: %s';
const switchesOff = 'switches the device off when its token is dead: %s';
const leavesDeviceOn = 'leaves the device on when it is about something else: %s';
const ownToken =
  'is cached per integration, even for one account, and is new with new credentials: %s';
const tokenRequest =
  'is requested from the configured host, once for concurrent and later messages';
const escapedKey = 'accepts a key whose line ends were written as \\\\n, and sends with it: %s';
const oneLanguage =
  'has its text only in the language that OneSignal requires, whatever the person’s language: %s';
const onePerson = 'reaches no segment and no second person, whatever fields the call sets: %s';

export const pushes = [
  ...['#102', '#1094', '#424', '#2548'].map((number) => {
    const report = `firebase/firebase-admin-node${number}`;
    return tested(report, `${push}/compose.test.ts`, asText, report);
  }),
  ...['xtrinch/fcm-django#223', 'eladnava/fcm-v1-http2#5', 'ToothlessGear/node-gcm#360'].map(
    (report) => tested(report, `${push}/fcm.test.ts`, leavesDeviceOn, report),
  ),
  ...[
    'rails/action_push_native#141',
    'firebase/firebase-admin-java#1064',
    'STS-Rosario/carpoolear_backend#321',
    'guardian/mobile-n10n#1239',
  ].map((report) => tested(report, `${push}/fcm.test.ts`, switchesOff, report)),
  tested(
    'firebase/firebase-admin-go#580 binwiederhier/ntfy#84 reown-com/push-server#346',
    `${push}/compose.test.ts`,
    'to %s is refused over the limit of FCM, which the failure names, before it is sent',
  ),
  tested('firebase/firebase-admin-node#2697 #2865 #2960', `${push}/fcm.test.ts`, tokenRequest),
  ...['coollabsio/coolify#6384', 'firebase/firebase-admin-node#385'].map((report) =>
    tested(report, `${push}/fcm.test.ts`, escapedKey, report),
  ),
  ...[
    'firebase/firebase-admin-node#571',
    'jlcvp/fcm-node#45',
    'firebase/firebase-functions#171',
  ].map((report) => tested(report, `${push}/fcm.test.ts`, ownToken, report)),
  tested('OneSignal/onesignal-go-api#38', onesignal, onePerson, 'OneSignal/onesignal-go-api#38'),
  tested(
    'OneSignal/onesignal-node-api#82',
    onesignal,
    onePerson,
    'OneSignal/onesignal-node-api#82',
  ),
  tested(
    'zeyneloz/onesignal-node#9 #67',
    onesignal,
    'to a person without a device is refused despite status 200, and other messages are not',
  ),
  ...[
    'zeyneloz/onesignal-node#40',
    'OneSignal/react-native-onesignal#273',
    'OneSignal/OneSignal-iOS-SDK#1329',
  ].map((report) => tested(report, onesignal, oneLanguage, report)),
];
