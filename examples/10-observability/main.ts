import { AsyncLocalStorage } from 'node:async_hooks'
import { tracingChannel } from 'node:diagnostics_channel'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { ConsoleSpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
import { type RequestTrace, Server } from '@fw/core'

if (import.meta.main) {
  const exporter = new ConsoleSpanExporter() // replace it with your collector's URL
  new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register()
}
const tracer = trace.getTracer('example')

/** Trace context of the current request, for spans that handlers start. */
const active = new AsyncLocalStorage<Context>()
const requests = tracingChannel<RequestTrace, Context>('fw.request')

requests.start.bindStore(active, (message) => {
  const { method, path, headers } = message.context
  const parent = propagation.extract(ROOT_CONTEXT, Object.fromEntries(headers)) // the client's traceparent
  const attributes = { 'http.request.method': method, 'url.path': path }
  return trace.setSpan(parent, tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, parent))
})
const contexts = new WeakMap<object, Context>()
requests.start.subscribe((message) => {
  contexts.set(message as object, active.getStore() ?? ROOT_CONTEXT)
})
requests.asyncEnd.subscribe((message) => {
  const { context, outcome } = message as RequestTrace
  const span = trace.getSpan(contexts.get(message as object) ?? ROOT_CONTEXT)
  span?.updateName(`${context.method} ${context.route?.pattern ?? ''}`.trim())
  span?.setAttribute('http.response.status_code', outcome?.status ?? 0)
  if ((outcome?.status ?? 500) >= 500) span?.setStatus({ code: SpanStatusCode.ERROR })
  span?.end()
})

export const server = new Server({ shutdown: 'signals', trustProxy: false })
const router = server.router()

router.get('/users/:id', async (ctx) => {
  const span = tracer.startSpan('load user', {}, active.getStore())
  await sleep(5) // simulates a query
  span.end()
  return { id: ctx.params.id }
})

if (import.meta.main) await server.listen({ host: '127.0.0.1', port: Number(process.env['PORT'] ?? 8080) })
