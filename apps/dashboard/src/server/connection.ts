import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { getClientNetwork, type IsTrustedProxy, isHttps as isHttpsCall } from '@belfry/runtime';
import type { NextFunction, Request, Response } from 'express';
import { Refusal } from './problem';

type Middleware = (req: Request, res: Response, next: NextFunction) => void;

export type Connections = {
  isTrustedProxy: IsTrustedProxy;
  isHttps(req: IncomingMessage): boolean;
  /** Network whose sign-in attempts are counted together. */
  getClientNetwork(req: IncomingMessage): string;
  requireHttps: Middleware;
  /** Refuses changes from pages of other sites, even if the browser sends our cookie. */
  requireOwnOrigin: Middleware;
  /** Without a certificate, a foreign host name that resolves to this server (DNS rebinding) would pass for ours. */
  refuseForeignNames: Middleware;
};

export type ConnectionDeps = {
  allowHttp: boolean;
  isTrustedProxy: IsTrustedProxy;
  /** DASHBOARD_URL: over plain HTTP its host is accepted in addition to the loopback names. */
  dashboardUrl: string;
};

/** How a call arrived. `X-Forwarded-*` headers count only from a trusted proxy. */
export function createConnections({
  allowHttp,
  isTrustedProxy,
  dashboardUrl,
}: ConnectionDeps): Connections {
  const configuredName = new URL(dashboardUrl).hostname;

  function isFromProxy(req: IncomingMessage): boolean {
    return isTrustedProxy(req.socket.remoteAddress);
  }

  function isHttps(req: IncomingMessage): boolean {
    return isHttpsCall(req, isTrustedProxy);
  }

  /** The origin of the request URL; undefined if the host is malformed. */
  function readOwnOrigin(req: IncomingMessage): URL | undefined {
    const forwarded = isFromProxy(req) ? getSingleHeader(req, 'x-forwarded-host') : undefined;
    const host = forwarded ?? getSingleHeader(req, 'host') ?? '';
    return parseOrigin(`${isHttps(req) ? 'https' : 'http'}://${host}`);
  }

  return {
    isTrustedProxy,
    isHttps,

    getClientNetwork: (req) => getClientNetwork(req, isTrustedProxy),

    requireHttps: (req, _res, next) => {
      if (isHttps(req) || allowHttp) next();
      else next(new Refusal('https_required', 'Plain HTTP is refused. Use HTTPS.'));
    },

    /** Refuses changes from pages of other sites, even if the browser sends our cookie. */
    requireOwnOrigin: (req, _res, next) => {
      const origin = parseOrigin(getSingleHeader(req, 'origin') ?? '')?.origin;
      const isOwn = origin !== undefined && origin === readOwnOrigin(req)?.origin;
      if (isReading(req.method) || isOwn) next();
      else
        next(
          new Refusal(
            'wrong_origin',
            'The Origin header does not match the dashboard. Open the dashboard under its own URL.',
          ),
        );
    },

    refuseForeignNames: (req, _res, next) => {
      const name = readOwnOrigin(req)?.hostname;
      const isOwn = name !== undefined && (isLoopbackName(name) || name === configuredName);
      if (isHttps(req) || isOwn) next();
      else next(new Refusal('wrong_origin', foreignName));
    },
  };
}

/** A header that is sent exactly once; a repeated header is ambiguous. */
function getSingleHeader({ headersDistinct }: IncomingMessage, name: string): string | undefined {
  const [value, ...more] = headersDistinct[name] ?? [];
  return more.length === 0 ? value : undefined;
}

function isReading(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

const foreignName =
  'Over plain HTTP the dashboard only answers to localhost, loopback addresses and the host of DASHBOARD_URL. Open one of these, or use HTTPS.';

/** Only a scheme, a host and a port: a user name, path or escape could hide another host. */
const originShape = /^https?:\/\/[^\s/\\?#@%]{1,300}$/i;

/** Parsed like in a browser, so that all spellings of an address compare equal. */
function parseOrigin(text: string): URL | undefined {
  return originShape.test(text) && URL.canParse(text) ? new URL(text) : undefined;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** `hostname` comes from a URL: lower case, IPv6 in brackets. Handles IPv4-mapped IPv6 addresses. */
function isLoopbackName(hostname: string): boolean {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  const version = isIP(address);
  if (version !== 0) return loopback.check(address, version === 4 ? 'ipv4' : 'ipv6');
  return /^(.*\.)?localhost\.?$/.test(hostname);
}
