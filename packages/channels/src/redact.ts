const mask = '[credential]';
/** A shorter secret cannot be searched for without mangling ordinary text. */
const minSecretCharacters = 4;

/** The text without the secrets, plain or base64: a server may echo what it got. */
export function redact(text: string, secrets: readonly (string | undefined)[]): string {
  const forms = secrets
    .filter((secret) => secret !== undefined && secret.length >= minSecretCharacters)
    .flatMap((secret = '') => [
      secret,
      Buffer.from(secret)
        .toString('base64')
        .replace(/={1,2}$/, ''),
    ]);
  return forms.reduce((clean, form) => clean.replaceAll(form, mask), text);
}
