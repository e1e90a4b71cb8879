/** The page's own files, besides those of Swagger UI. Nothing is inline, because the page's policy forbids it. */

/** `versioned` returns the relative URL of a file, so that the page works below any path. */
export function pageHtml(versioned: (name: string) => string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Belfry API</title>
    <link rel="icon" href="${versioned('icon.svg')}" type="image/svg+xml">
    <link rel="stylesheet" href="${versioned('swagger-ui.css')}">
    <link rel="stylesheet" href="${versioned('page.css')}">
    <script src="${versioned('swagger-ui-bundle.js')}" defer></script>
    <script src="${versioned('page.js')}" defer></script>
  </head>
  <body>
    <main id="interface"></main>
    <noscript>This page needs JavaScript. <a href="openapi.json">openapi.json</a> has the same content.</noscript>
  </body>
</html>
`;
}

/**
 * "Try it out" calls the gateway that served the page, whatever its public URL is. The page contacts no other origin and
 * stores no API key.
 */
export const pageScript = `'use strict';
const baseUrl = new URL('.', document.baseURI);
const target = document.getElementById('interface');
fetch(new URL('openapi.json', baseUrl))
  .then((response) => {
    if (!response.ok) throw new Error('openapi.json: ' + response.status);
    return response.json();
  })
  .then((spec) => {
    // With a prefilled key, the second try would be a replay or a mismatch.
    delete spec.components.parameters.idempotencyKey.example;
    SwaggerUIBundle({
      spec: { ...spec, servers: [{ url: baseUrl.href.replace(/\\/$/, '') }] },
      domNode: target,
      presets: [SwaggerUIBundle.presets.apis],
      layout: 'BaseLayout',
      validatorUrl: null,
      deepLinking: true,
      displayRequestDuration: true,
      defaultModelsExpandDepth: 0,
      persistAuthorization: false,
      queryConfigEnabled: false,
      withCredentials: false,
    });
  })
  .catch((error) => {
    target.textContent = 'Could not load openapi.json: ' + error.message;
  });
`;

export const pageStyle = `body { margin: 0; }
.swagger-ui .info { margin: 32px 0 16px; }
.swagger-ui .info hgroup.main { margin: 0 0 12px; }
.swagger-ui .scheme-container { box-shadow: none; border-bottom: 1px solid #d8dde7; padding: 12px 0; }
.swagger-ui .servers-title, .swagger-ui .servers { display: none; }
`;

export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path fill="#1f3a5f" d="M16 3a2 2 0 0 0-2 2v1.3A9 9 0 0 0 7 15v6l-3 4v1h24v-1l-3-4v-6a9 9 0 0 0-7-8.7V5a2 2 0 0 0-2-2zm-3 25a3 3 0 0 0 6 0z"/></svg>
`;
