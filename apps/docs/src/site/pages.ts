/** Page of the site, in the order of the sidebar. */
export interface Page {
  readonly section: Section
  /** Path below the site root, without slashes at the ends; empty for the home page. */
  readonly path: string
  /** Link text in the sidebar. */
  readonly label: string
  /** Markdown file in the repository that the page shows. Without it, the text of the page is in `src/content/docs`. */
  readonly file?: string
  /** Heading at which the page begins, if several pages share the file. `undefined` for the first page. */
  readonly from?: string
}

/** Sections of the sidebar, in order. */
export const SECTIONS = ['Start', 'Guides', 'Recipes', 'Coming from', 'Deploy', 'Reference', 'Why'] as const
export type Section = (typeof SECTIONS)[number]

/** URL of the public repository. Until it exists, links to repository files are plain text. */
export const REPOSITORY_URL: string | undefined = undefined

const CORE = 'packages/core/docs'

/** Pages of the site. `generate.ts` writes the pages that have a file and those that `generated` names. */
export const PAGES: readonly Page[] = [
  ...section('Start', [
    ['', 'Home'],
    ['quickstart', 'Quickstart'],
    ['packages', 'Which package'],
    ['complete-example', 'A complete example', 'docs/complete-example.md'],
    ['tutorial/1-routes', 'Tutorial 1: routes'],
    ['tutorial/2-validation', 'Tutorial 2: validation'],
    ['tutorial/3-errors-and-logs', 'Tutorial 3: errors and logs'],
    ['tutorial/4-storage', 'Tutorial 4: storage'],
    ['tutorial/5-live', 'Tutorial 5: a live counter'],
    ['tutorial/6-https', 'Tutorial 6: HTTPS and HTTP/2'],
    ['tutorial/7-deploy', 'Tutorial 7: deploy'],
  ]),
  ...section('Guides', [
    ['guides/routing', 'Routing', `${CORE}/routing.md`],
    ['guides/handlers', 'Handlers and responses', `${CORE}/handlers.md`],
    ['guides/middleware', 'Middleware and context', `${CORE}/middleware-and-context.md`],
    ['guides/response-filters', 'Response filters', `${CORE}/response-filters.md`],
    ['guides/validation', 'Validation', `${CORE}/validation.md`],
    ['guides/response-schemas', 'Response schemas', `${CORE}/response-schemas.md`],
    ['guides/errors', 'Errors', `${CORE}/errors.md`],
    ['guides/bodies', 'Bodies and uploads', `${CORE}/bodies.md`],
    ['guides/ownership', 'Ownership of bodies', 'docs/ownership.md'],
    ['guides/cookies', 'Cookies', `${CORE}/cookies.md`],
    ['guides/larger-applications', 'Larger applications', `${CORE}/larger-applications.md`],
    ['guides/logging', 'Logging', 'packages/log/README.md'],
    ['guides/log-functions', 'Log functions', 'packages/log/docs/functions.md'],
    ['guides/log-sinks', 'Log sinks', 'packages/log/docs/sinks.md'],
    ['guides/log-formats', 'Log formats', 'packages/log/docs/formats.md'],
    ['guides/asynchronous-log', 'Asynchronous log', 'packages/log/docs/asynchronous.md'],
    ['guides/access-log', 'Access log', 'packages/access-log/README.md'],
    ['guides/access-log-options', 'Access log options', 'packages/access-log/docs/options.md'],
    ['guides/access-log-formats', 'Access log formats', 'packages/access-log/docs/formats.md'],
    ['guides/static-files', 'Static files', 'packages/static/README.md'],
    ['guides/static-file-responses', 'Static files: responses', 'packages/static/docs/responses.md'],
    ['guides/static-pages', 'Static files: single-page apps', 'packages/static/docs/single-page-applications.md'],
    ['guides/send-file', 'Static files: one file', 'packages/static/docs/one-file.md'],
    ['guides/static-file-caching', 'Static files: caching', 'packages/static/docs/caching.md'],
    ['guides/server-sent-events', 'Server-sent events', 'packages/sse/README.md'],
    ['guides/event-streams', 'Event streams', 'packages/sse/docs/streams.md'],
    ['guides/event-channels', 'Event channels', 'packages/sse/docs/channels.md'],
    ['guides/events-across-processes', 'Events across processes', 'packages/sse/docs/processes.md'],
    ['guides/events-in-production', 'Events in production', 'packages/sse/docs/production.md'],
    ['guides/cors', 'CORS', 'packages/cors/README.md'],
    ['guides/csrf', 'CSRF protection', 'packages/csrf/README.md'],
    ['guides/auth', 'Authentication', 'packages/auth/README.md'],
    ['guides/jwt', 'JSON Web Tokens', 'packages/auth/docs/jwt.md'],
    ['guides/etag', 'Entity tags', 'packages/etag/README.md'],
    ['guides/security-headers', 'Security headers', 'packages/security-headers/README.md'],
    ['guides/sessions', 'Sessions', 'packages/session/README.md'],
    ['guides/session-stores', 'Session stores', 'packages/session/docs/stores.md'],
    ['guides/rate-limit', 'Rate limit', 'packages/rate-limit/README.md'],
    ['guides/rate-limit-in-redis', 'Rate limits in Redis', 'packages/rate-limit/docs/redis.md'],
    ['guides/overload', 'Concurrency and overload', 'packages/rate-limit/docs/overload.md'],
    ['guides/node-middleware', 'Express middleware', 'packages/node-middleware/README.md'],
    ['guides/express-libraries', 'Express libraries', 'packages/node-middleware/docs/libraries.md'],
    ['guides/websockets', 'WebSockets', 'packages/websocket/README.md'],
    ['guides/websocket-sockets', 'WebSockets: sockets', 'packages/websocket/docs/sockets.md'],
    ['guides/websockets-in-production', 'WebSockets in production', 'packages/websocket/docs/production.md'],
    ['guides/tunnels', 'Tunnels', `${CORE}/tunnels.md`],
    ['guides/upgrades', 'Upgraded connections', `${CORE}/upgrades.md`],
    ['guides/testing', 'Testing and adapters', `${CORE}/adapters-and-testing.md`],
    ['guides/tracing', 'Observability', `${CORE}/observability.md`],
    ['guides/typescript', 'TypeScript', `${CORE}/typescript.md`],
    ['guides/bundling', 'Bundling', `${CORE}/bundling.md`],
    ['guides/tls', 'TLS', `${CORE}/tls.md`],
    ['guides/protocols', 'Rules of all protocols', `${CORE}/protocols.md`],
    ['guides/health', 'Health checks', `${CORE}/health.md`],
    ['guides/shutdown', 'Shutdown and workers', `${CORE}/shutdown-and-workers.md`],
    ['guides/workers', 'Worker processes', 'docs/workers.md'],
    ['guides/client-address', 'Client address', 'packages/client-address/README.md'],
    ['guides/compression', 'Compression', 'packages/compress/README.md'],
    ['guides/compressed-requests', 'Compressed requests', 'packages/compress/docs/requests.md'],
    ['guides/dictionaries', 'Compression dictionaries', 'packages/compress/docs/dictionaries.md'],
    ['guides/http-fields', 'HTTP fields', 'packages/http-fields/README.md'],
    ['guides/options', 'Options', 'packages/options/README.md'],
    ['guides/option-kinds', 'Kinds of options', 'packages/options/docs/kinds.md'],
  ]),
  ...section('Recipes', [
    ['recipes/cors', 'CORS'],
    ['recipes/sessions', 'Sessions'],
    ['recipes/bearer-tokens', 'Bearer tokens'],
    ['recipes/rate-limit', 'Rate limit'],
    ['recipes/upload-to-disk', 'Upload to disk'],
    ['recipes/download', 'Downloads and ranges'],
    ['recipes/proxy', 'Forward a request'],
    ['recipes/timers', 'Timers next to the server'],
    ['recipes/health-checks', 'Health checks'],
    ['recipes/request-ids', 'Request IDs'],
    ['recipes/opentelemetry', 'OpenTelemetry'],
    ['recipes/redis-events', 'Events across machines'],
    ['recipes/redirect-to-https', 'Redirect to HTTPS'],
    ['recipes/single-page-app', 'Single-page app'],
    ['recipes/in-express', 'Inside Express'],
  ]),
  ...section('Coming from', [
    ['from/express', 'From Express'],
    ['from/fastify', 'From Fastify'],
    ['from/hono', 'From Hono'],
    ['from/node-http', 'From node:http'],
  ]),
  ...section('Deploy', [
    ['deploy/systemd', 'systemd'],
    ['deploy/containers', 'Containers'],
    ['deploy/kubernetes', 'Kubernetes'],
    ['deploy/proxies', 'Behind proxies', `${CORE}/proxies.md`],
    ['deploy/proxy-protocol', 'PROXY protocol', `${CORE}/proxy-protocol.md`],
    ['deploy/http3', 'HTTP/3 in production'],
    ['deploy/workers', 'Workers in operation', 'docs/workers-in-operation.md'],
    ['deploy/checklist', 'Before production'],
  ]),
  ...section('Reference', [
    ['reference/server', 'Server and listen', `${CORE}/server.md`],
    ['reference/routes', 'Route options', `${CORE}/routing.md`, 'Route options'],
    ['reference/context', 'Context', `${CORE}/middleware-and-context.md`, 'Members of the context'],
    ['reference/channels', 'Diagnostics channels', `${CORE}/observability.md`, 'Tracing'],
    ['reference/traces', 'Traces', `${CORE}/tracing.md`],
    ['reference/errors', 'Error codes', `${CORE}/error-codes.md`],
    ['reference/records', 'Log records', `${CORE}/records.md`],
    ['reference/limits', 'Limits', `${CORE}/limits.md`],
    ['reference/exports', 'Exports of @fw/core', `${CORE}/reference.md`],
    ['reference/core', '@fw/core'],
    ['reference/log', '@fw/log'],
    ['reference/access-log', '@fw/access-log'],
    ['reference/static', '@fw/static'],
    ['reference/sse', '@fw/sse'],
    ['reference/cors', '@fw/cors'],
    ['reference/csrf', '@fw/csrf'],
    ['reference/auth', '@fw/auth'],
    ['reference/etag', '@fw/etag'],
    ['reference/security-headers', '@fw/security-headers'],
    ['reference/session', '@fw/session'],
    ['reference/rate-limit', '@fw/rate-limit'],
    ['reference/node-middleware', '@fw/node-middleware'],
    ['reference/websocket', '@fw/websocket'],
    ['reference/client-address', '@fw/client-address'],
    ['reference/http-fields', '@fw/http-fields'],
    ['reference/compress', '@fw/compress'],
    ['reference/types', '@fw/types'],
    ['reference/protocols', 'Protocol support', 'docs/protocol-support.md'],
    ['reference/http1', 'HTTP/1.1', 'docs/http1.md'],
    ['reference/http2', 'HTTP/2', 'docs/http2.md'],
    ['reference/http3', 'HTTP/3', 'docs/http3.md'],
  ]),
  ...section('Why', [
    ['why', 'Why fw'],
    ['why/tests', 'How it is tested'],
    ['why/performance', 'Performance'],
    ['why/security', 'Security', 'SECURITY.md'],
    ['why/dependencies', 'Dependencies', 'docs/dependencies.md'],
    ['why/source', 'Reading the source', 'docs/reading-the-source.md'],
    ['why/decisions', 'Decisions'],
    ['why/versions', 'Versions'],
  ]),
]

function section(name: Section, pages: readonly (readonly [string, string, string?, string?])[]): readonly Page[] {
  return pages.map(([path, label, file, from]) => ({
    section: name,
    path,
    label,
    ...(file !== undefined && { file }),
    ...(from !== undefined && { from }),
  }))
}
