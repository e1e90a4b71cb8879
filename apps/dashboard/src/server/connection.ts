import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { getClientNetwork, type IsTrustedProxy, isHttps as isHttpsCall } from '@belfry/runtime';
import type { NextFunction, Request, Response } from 'express';
import { Refusal } from './problem';

type Middleware = (req: Request, res: Response, next: NextFunction) => void;

export type Connections = {
  isTrustedProxy: IsTrustedProxy;
  isHttps(req: IncomingMessage): boolean;
  /** Whose tries at signing in are counted together. */
  getClientNetwork(req: IncomingMessage): string;
  requireHttps: Middleware;
  /** A page of another site cannot change anything here, also when the browser sends our cookie along. */
  requireOwnOrigin: Middleware;
  /** Without a certificate, a name of another site that resolves to this server (DNS rebinding) would pass for ours. */
  refuseForeignNames: Middleware;
};

export type ConnectionDeps = {
  allowHttp: boolean;
  isTrustedProxy: IsTrustedProxy;
  /** DASHBOARD_URL: over plain HTTP its host is accepted beside the loopback names. */
  dashboardUrl: string;
};

/** How a call came: only a trusted proxy is believed what it says of it. */
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

  /** The origin that the call was addressed to; undefined where its host is not written as one. */
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
      else next(new Refusal('https_required', 'Calls over plain HTTP are refused: use HTTPS.'));
    },

    /** A page of another site cannot change anything here, also when the browser sends our cookie along. */
    requireOwnOrigin: (req, _res, next) => {
      const origin = parseOrigin(getSingleHeader(req, 'origin') ?? '')?.origin;
      const isOwn = origin !== undefined && origin === readOwnOrigin(req)?.origin;
      if (isReading(req.method) || isOwn) next();
      else next(new Refusal('wrong_origin', 'The call does not come from this page.'));
    },

    refuseForeignNames: (req, _res, next) => {
      const name = readOwnOrigin(req)?.hostname;
      const isOwn = name !== undefined && (isLoopbackName(name) || name === configuredName);
      if (isHttps(req) || isOwn) next();
      else next(new Refusal('wrong_origin', foreignName));
    },
  };
}

/** Sent once; of one that is sent twice nobody knows which holds. */
function getSingleHeader({ headersDistinct }: IncomingMessage, name: string): string | undefined {
  const [value, ...more] = headersDistinct[name] ?? [];
  return more.length === 0 ? value : undefined;
}

function isReading(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

const foreignName =
  'Over plain HTTP the dashboard answers to localhost, loopback addresses and the host of DASHBOARD_URL only. Open it under one of these, or use HTTPS.';

/** A scheme, a host and a port, and nothing else: no user name, path or escape that could hide another host. */
const originShape = /^https?:\/\/[^\s/\\?#@%]{1,300}$/i;

/** Parsed as a browser parses it, so that every way to write an address compares equal. */
function parseOrigin(text: string): URL | undefined {
  return originShape.test(text) && URL.canParse(text) ? new URL(text) : undefined;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** `hostname` is that of a URL: lower case, IPv6 in brackets. An IPv4 address in an IPv6 one is found, too. */
function isLoopbackName(hostname: string): boolean {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  const version = isIP(address);
  if (version !== 0) return loopback.check(address, version === 4 ? 'ipv4' : 'ipv6');
  return /^(.*\.)?localhost\.?$/.test(hostname);
}
