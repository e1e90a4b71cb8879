/** In the order of the texts of each language. `{news}` is a number or a title. */
const names = [
  'title',
  'news',
  'unread',
  'markRead',
  'markUnread',
  'markAllRead',
  'archive',
  'archived',
  'undo',
  'older',
  'newer',
  'loading',
  'empty',
  'failed',
  'notSaved',
  'retry',
  'offline',
  'close',
] as const;

export type InboxStrings = Record<(typeof names)[number], string>;

/** Without plurals: a number stands alone, because Arabic has six forms. */
export const languages: Record<string, readonly string[]> = {
  en: [
    'Notifications',
    'New: {news}',
    'Unread',
    'Mark as read',
    'Mark as unread',
    'Mark all as read',
    'Archive',
    'Archived',
    'Undo',
    'Show older',
    'Show newer',
    'Loading…',
    'No notifications',
    'The notifications could not be loaded.',
    'The change could not be saved.',
    'Try again',
    'No connection. This may be out of date.',
    'Close',
  ],
  de: [
    'Benachrichtigungen',
    'Neu: {news}',
    'Ungelesen',
    'Als gelesen markieren',
    'Als ungelesen markieren',
    'Alle gelesen',
    'Archivieren',
    'Archiviert',
    'Rückgängig',
    'Ältere anzeigen',
    'Neuere anzeigen',
    'Wird geladen…',
    'Keine Benachrichtigungen',
    'Die Benachrichtigungen konnten nicht geladen werden.',
    'Die Änderung konnte nicht gespeichert werden.',
    'Erneut versuchen',
    'Keine Verbindung. Der Stand ist möglicherweise veraltet.',
    'Schließen',
  ],
  es: [
    'Notificaciones',
    'Nuevas: {news}',
    'No leída',
    'Marcar como leída',
    'Marcar como no leída',
    'Marcar todas como leídas',
    'Archivar',
    'Archivada',
    'Deshacer',
    'Ver anteriores',
    'Ver más recientes',
    'Cargando…',
    'No hay notificaciones',
    'No se pudieron cargar las notificaciones.',
    'No se pudo guardar el cambio.',
    'Reintentar',
    'Sin conexión. Puede que no esté actualizado.',
    'Cerrar',
  ],
  fr: [
    'Notifications',
    'Nouvelles : {news}',
    'Non lue',
    'Marquer comme lue',
    'Marquer comme non lue',
    'Tout marquer comme lu',
    'Archiver',
    'Archivée',
    'Annuler',
    'Voir les plus anciennes',
    'Voir les plus récentes',
    'Chargement…',
    'Aucune notification',
    'Impossible de charger les notifications.',
    'La modification n’a pas pu être enregistrée.',
    'Réessayer',
    'Pas de connexion. L’affichage n’est peut-être pas à jour.',
    'Fermer',
  ],
  ar: [
    'الإشعارات',
    'الجديدة: {news}',
    'غير مقروء',
    'تحديد كمقروء',
    'تحديد كغير مقروء',
    'تحديد الكل كمقروء',
    'أرشفة',
    'تمت الأرشفة',
    'تراجع',
    'عرض الأقدم',
    'عرض الأحدث',
    'جارٍ التحميل…',
    'لا توجد إشعارات',
    'تعذّر تحميل الإشعارات.',
    'تعذّر حفظ التغيير.',
    'إعادة المحاولة',
    'لا يوجد اتصال. قد لا يكون المحتوى محدّثًا.',
    'إغلاق',
  ],
  ja: [
    '通知',
    '新着: {news}',
    '未読',
    '既読にする',
    '未読にする',
    'すべて既読にする',
    'アーカイブ',
    'アーカイブしました',
    '元に戻す',
    '以前の通知を表示',
    '新しい通知を表示',
    '読み込み中…',
    '通知はありません',
    '通知を読み込めませんでした。',
    '変更を保存できませんでした。',
    '再試行',
    '接続がありません。最新でない可能性があります。',
    '閉じる',
  ],
};

/** Finds the texts by the lookup of RFC 4647, section 3.4: `de-AT` falls back to `de`, and then to English. */
export function findStrings(tag: string, overrides: Partial<InboxStrings> = {}): InboxStrings {
  const texts = languages[findLanguage(tag)] ?? [];
  const entries = names.map((name, index) => [name, texts[index]]);
  // Each language has a text for each name: a test checks it.
  return { ...Object.fromEntries(entries), ...overrides };
}

function findLanguage(tag: string): string {
  const parts = tag.toLowerCase().replaceAll('_', '-').split('-');
  for (; parts.length > 0; parts.pop()) {
    const shorter = parts.join('-');
    if (Object.hasOwn(languages, shorter)) return shorter;
  }
  return 'en';
}

/** "Notifications, New: 3", or with the title of the only new one. */
export function describeNews({ title, news }: InboxStrings, value: string): string {
  return `${title}, ${news.replace('{news}', () => value)}`;
}

/** The nearest `lang` attribute, else the language of the browser. */
export function findLanguageTag(element: Element): string {
  const page = document.documentElement;
  return element.closest<HTMLElement>('[lang]')?.lang || page.lang || navigator.language;
}
