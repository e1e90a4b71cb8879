import { createPrivateKey } from 'node:crypto';
import { parseJson, toRecord } from '../read-json';

/** The used fields of a service account's key file. */
export type ServiceAccount = { projectId: string; clientEmail: string; privateKey: string };

const projectId = /^[a-z][a-z0-9-]{4,28}[a-z0-9]$/;

export function isProjectId(text: string): boolean {
  return projectId.test(text);
}

/**
 * The account in the text of its key file, or the problem, which never repeats a part of the file.
 */
export function readServiceAccount(text: unknown): ServiceAccount | { problem: string } {
  const file = parse(text);
  if (!file) return { problem: 'must be the complete, unchanged JSON of a service account key' };
  if ('project_info' in file || 'client' in file) {
    return { problem: 'is the configuration of an app; a service account key is needed' };
  }
  if (file['type'] !== 'service_account') {
    return { problem: 'must hold "type": "service_account"' };
  }
  const { project_id: project, client_email: clientEmail, private_key: key } = file;
  if (typeof project !== 'string' || !isProjectId(project)) {
    return { problem: 'has an invalid project_id' };
  }
  if (typeof clientEmail !== 'string' || !/^[^\s@]+@[^\s@]+$/.test(clientEmail)) {
    return { problem: 'has no client_email' };
  }
  const privateKey = readPrivateKey(key);
  if (privateKey === undefined) return { problem: 'has an invalid private_key' };
  return { projectId: project, clientEmail, privateKey };
}

/** Settings that passed through a shell or a form have "\n" for each line end. */
function readPrivateKey(key: unknown): string | undefined {
  if (typeof key !== 'string') return undefined;
  const pem = key.replaceAll('\\n', '\n');
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa' ? pem : undefined;
  } catch {
    return undefined;
  }
}

function parse(text: unknown): Record<string, unknown> | undefined {
  return typeof text === 'string' ? toRecord(parseJson(Buffer.from(text))) : undefined;
}
