const mask = '[credential]';
/** Below it a secret is too short to be searched for without mangling ordinary text. */
const minSecretCharacters = 4;

/** A text without the secrets, in clear or in base64: a server may repeat what it was sent. */
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
