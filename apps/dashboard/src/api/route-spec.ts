import type { Static, TObject, TSchema } from '@sinclair/typebox';

/** The least role that may call a route. `anyone` needs no session; an operator without a session gets 401 elsewhere. */
export type Access = 'anyone' | 'viewer' | 'editor' | 'owner';

/** One route of the dashboard's API. Its key in the contract is the method and the path: `GET /api/apps/:appId/log`. */
export type RouteSpec = {
  access: Access;
  /** Parameters in the query are optional texts or integers. Unknown ones are ignored. */
  query?: TObject;
  body?: TSchema;
  /** The body is an HTML form, because only a form can target a frame. */
  isForm?: true;
  /** Absent if the handler writes the response itself: an event stream or a page. */
  answer?: TSchema;
  /** The answer contains a secret: neither the server nor a proxy may compress it. */
  hasSecret?: true;
  /** Audit actions that a success writes, newest first. Absent if the route changes nothing that other operators see. */
  audit?: string | readonly string[];
};

/** Names of the parameters of a path: `'appId' | 'id'` for `/api/apps/:appId/filters/:id`. */
export type PathParam<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer Tail}`
    ? Name | PathParam<`/${Tail}`>
    : Rest
  : never;

export type SpecQuery<Spec> = Spec extends { query: infer Query extends TObject }
  ? Static<Query>
  : Record<never, never>;

export type SpecBody<Spec> = Spec extends { body: infer Body extends TSchema }
  ? Static<Body>
  : undefined;

export type SpecAnswer<Spec> = Spec extends { answer: infer Answer extends TSchema }
  ? Static<Answer>
  : undefined;
