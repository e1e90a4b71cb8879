/** For plain text: SMS, subjects, push. */
export function escapeNothing(value: string): string {
  return value;
}

/** For HTML text and quoted attributes. */
export function escapeHtml(value: string): string {
  return hasHtmlSign.test(value)
    ? value.replace(htmlSigns, (sign) => entities[sign] ?? sign)
    : value;
}

/** For Slack's markup and Telegram's HTML, which have no entities for quotes. */
export function escapeAngle(value: string): string {
  return hasAngleSign.test(value)
    ? value.replace(angleSigns, (sign) => entities[sign] ?? sign)
    : value;
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const hasHtmlSign = /[&<>"']/;
const htmlSigns = /[&<>"']/g;
const hasAngleSign = /[&<>]/;
const angleSigns = /[&<>]/g;
