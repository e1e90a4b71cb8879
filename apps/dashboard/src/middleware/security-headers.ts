import { type IsTrustedProxy, isHttps } from '@belfry/runtime';
import type { RequestHandler } from 'express';

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const headers = {
  'Content-Security-Policy': contentSecurityPolicy,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  'Cache-Control': 'no-store',
};

const strictTransport = 'max-age=31536000';

/** Nothing from another origin is loaded, and no other page may frame or read this one. */
export function createSecurityHeaders(isTrustedProxy: IsTrustedProxy): RequestHandler {
  return function securityHeaders(req, res, next) {
    res.set(headers);
    if (isHttps(req, isTrustedProxy)) res.set('Strict-Transport-Security', strictTransport);
    next();
  };
}
