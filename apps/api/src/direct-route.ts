import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';

/** Answers a call that it knows by its method and target alone; false leaves it to Express. */
export type DirectRoute = (req: Request, res: Response) => boolean;

export type DirectRouteOptions = {
  /** What the route is called in Express and in the log. */
  path: string;
  /** What comes before every route, in order. */
  steps: readonly RequestHandler[];
  handler: RequestHandler;
  handleErrors: ErrorRequestHandler;
};

/** As Express matches the route, for a target without a query and without an escape. */
const target = /^\/v1\/apps\/([0-9a-fA-F-]{36})\/events\/send$/;

/**
 * The way of a send past Express: asking one layer after the other costs it a tenth of its time. The steps, the handler
 * and the handler of errors are those that Express has, and a test holds both ways against each other.
 */
export function createDirectRoute(options: DirectRouteOptions): DirectRoute {
  const { path, steps, handler, handleErrors } = options;
  const route = { path };

  return function directRoute(req, res) {
    const appId = req.method === 'POST' ? target.exec(req.url)?.[1] : undefined;
    if (appId === undefined) return false;
    res.locals = {};
    takeStep(0);
    return true;

    function takeStep(at: number): void {
      const step = steps[at];
      if (step) step(req, res, (error?: unknown) => (error ? fail(error) : takeStep(at + 1)));
      else answer();
    }

    function answer(): void {
      req.route = route;
      req.params = { app_id: String(appId) };
      Promise.resolve(handler(req, res, fail)).catch(fail);
    }

    function fail(error: unknown): void {
      handleErrors(error, req, res, fail);
    }
  };
}
