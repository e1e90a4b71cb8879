import { createVerify, X509Certificate } from 'node:crypto';
import type { ReceiptDownloads } from '../../channel';

/** A message of SNS with the fields that its signature covers. */
export type SnsMessage = Record<string, unknown> & { Type: string; TopicArn: string };

const signedFields: Record<string, readonly string[]> = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: [
    ...['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
  ],
};

const algorithms: Record<string, string> = { '1': 'RSA-SHA1', '2': 'RSA-SHA256' };

/**
 * Whether SNS signed the message (docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html).
 * The certificate comes only from SNS itself, in the region of the topic.
 */
export async function isSignedBySns(
  message: SnsMessage,
  downloads: ReceiptDownloads,
): Promise<boolean> {
  const { SigningCertURL: url, Signature: signature, SignatureVersion: version } = message;
  const algorithm = algorithms[String(version)];
  const fields = signedFields[message.Type];
  if (!algorithm || !fields || typeof signature !== 'string' || typeof url !== 'string')
    return false;
  if (!isSnsUrl(url, message.TopicArn) || !certificatePath.test(new URL(url).pathname))
    return false;
  const certificate = await fetchCertificate(url, downloads);
  if (!certificate) return false;
  const text = fields
    .filter((name) => typeof message[name] === 'string')
    .map((name) => `${name}\n${String(message[name])}\n`)
    .join('');
  return createVerify(algorithm).update(text).verify(certificate.publicKey, signature, 'base64');
}

/** Confirms a subscription that SNS signed. False if that is not possible now: SNS asks again. */
export async function confirmSubscription(
  message: SnsMessage,
  downloads: ReceiptDownloads,
): Promise<boolean> {
  const { SubscribeURL: url } = message;
  if (typeof url !== 'string' || !isSnsUrl(url, message.TopicArn)) return false;
  return (await download(url, downloads)) !== undefined;
}

const certificatePath = /^\/SimpleNotificationService-[0-9a-zA-Z]{1,64}\.pem$/;
const maxUrlCharacters = 2_048;

/** A URL of SNS in the region of a topic, and nothing else. */
function isSnsUrl(url: string, topicArn: string): boolean {
  if (url.length > maxUrlCharacters || !URL.canParse(url)) return false;
  const { origin } = new URL(url);
  const region = topicArn.split(':')[3];
  return (
    origin === `https://sns.${region}.amazonaws.com` &&
    !/[@\s]/.test(url.slice(0, origin.length + 1))
  );
}

/** Certificates by URL. SNS changes them about once a year, and there is one for each region. */
const certificates = new Map<string, X509Certificate>();
const maxCertificates = 50;

async function fetchCertificate(
  url: string,
  downloads: ReceiptDownloads,
): Promise<X509Certificate | undefined> {
  const cached = certificates.get(url);
  if (cached) return cached;
  const certificate = readCertificate(await download(url, downloads));
  if (!certificate) return undefined;
  if (certificates.size >= maxCertificates) certificates.clear();
  certificates.set(url, certificate);
  return certificate;
}

function readCertificate(pem: Buffer | undefined): X509Certificate | undefined {
  try {
    return pem && new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

const timeoutMs = 5_000;

async function download(
  url: string,
  { fetch, simulators }: ReceiptDownloads,
): Promise<Buffer | undefined> {
  const { origin } = new URL(url);
  const to = simulators['ses'] === undefined ? url : simulators['ses'] + url.slice(origin.length);
  const answer = await fetch(to, AbortSignal.timeout(timeoutMs));
  return 'body' in answer ? answer.body : undefined;
}
