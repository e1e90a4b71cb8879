import type { OpenApi } from './documented-calls.fixture';

type Schema = {
  $ref?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
};

/** Every member of the documented bodies, such as `body.batch.user.user_id`. */
export function listBodyPaths({ paths, components }: OpenApi, route: string): string[] {
  const [method = '', path = ''] = route.split(' ');
  const operation = paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
  const content = operation?.requestBody?.content['application/json'];
  if (!content) return [];
  const { $ref = '' } = content.schema as Schema;
  // TypeBox produces plain JSON Schema.
  const schema = components.schemas[$ref.split('/').at(-1) ?? ''] as Schema | undefined;
  return schema ? [...new Set(listPaths(schema, 'body'))] : [];
}

function listPaths({ properties = {}, items, anyOf = [] }: Schema, path: string): string[] {
  const members = Object.entries(properties).flatMap(([name, schema]) => {
    const memberPath = `${path}.${name}`;
    return [memberPath, ...listPaths(schema, memberPath)];
  });
  return [
    ...members,
    ...(items ? [items, ...anyOf] : anyOf).flatMap((schema) => listPaths(schema, path)),
  ];
}
