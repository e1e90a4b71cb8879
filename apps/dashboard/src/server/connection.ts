import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { clientNetwork, type IsTrustedProxy } from '@belfry/runtime';
import type { NextFunction, Request, Response } from 'express';
import { Refusal } from './problem';

type Step = (req: Request, res: Response, next: NextFunction) => void;

export type Connections = {
  isHttps(req: IncomingMessage): boolean;
  /** Whose tries at signing in are counted together. */
  callerOf(req: IncomingMessage): string;
  requireHttps: Step;
  /** A page of another site cannot change anything here, also when the browser sends our cookie along. */
  requireOwnOrigin: Step;
  /** On loopback a name of somebody else's that leads here would be taken for ours. */
  refuseForeignNames: Step;
};

export type ConnectionDeps = { allowHttp: boolean; isTrustedProxy: IsTrustedProxy };

/** How a call came: only a trusted proxy is believed what it says of it. */
export function createConnections({ allowHttp, isTrustedProxy }: ConnectionDeps): Connections {
  function isFromProxy(req: IncomingMessage): boolean {
    return isTrustedProxy(req.socket.remoteAddress);
  }

  function isHttps(req: IncomingMessage): boolean {
    if (req.socket instanceof TLSSocket) return true;
    return isFromProxy(req) && headerOf(req, 'x-forwarded-proto')?.toLowerCase() === 'https';
  }

  function hostOf(req: IncomingMessage): string {
    const told = isFromProxy(req) ? headerOf(req, 'x-forwarded-host') : undefined;
    return (told ?? req.headers.host ?? '').toLowerCase();
  }

  return {
    isHttps,

    /** Whose tries at signing in are counted together. */
    callerOf: (req) => clientNetwork(req, isTrustedProxy),

    requireHttps: (req, _res, next) => {
      if (isHttps(req) || allowHttp) next();
      else next(new Refusal('https_required', 'Calls over plain HTTP are refused: use HTTPS.'));
    },

    /** A page of another site cannot change anything here, also when the browser sends our cookie along. */
    requireOwnOrigin: (req, _res, next) => {
      const origin = req.headers.origin ?? '';
      const own = `${isHttps(req) ? 'https' : 'http'}://${hostOf(req)}`;
      if (isReading(req.method) || origin.toLowerCase() === own) next();
      else next(new Refusal('wrong_origin', 'The call does not come from this page.'));
    },

    /** On loopback a name of somebody else's that leads here would be taken for ours. */
    refuseForeignNames: (req, _res, next) => {
      if (isHttps(req) || !isLoopback(req.socket.localAddress) || isLocalName(hostOf(req))) next();
      else next(new Refusal('wrong_origin', 'This page is served under its own address only.'));
    },
  };
}

/** Sent once; of one that is sent twice nobody knows which holds. */
function headerOf({ headersDistinct }: IncomingMessage, name: string): string | undefined {
  const [value, ...more] = headersDistinct[name] ?? [];
  return more.length === 0 ? value : undefined;
}

function isReading(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

function isLoopback(address = ''): boolean {
  return address === '::1' || address.replace(/^::ffff:/, '').startsWith('127.');
}

function isLocalName(host: string): boolean {
  const name = host.replace(/:\d+$/, '');
  return name === '[::1]' || isLoopback(name) || /^([a-z0-9-]+\.)*localhost$/.test(name);
}
