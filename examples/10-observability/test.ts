import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
import { server } from './main.ts'

const exporter = new InMemorySpanExporter()
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register()

test("continues the client's trace, down to the handler's spans", async () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` }
  assert.equal((await server.fetch('/users/7', { headers })).status, 200)

  const [query, request] = exporter.getFinishedSpans()
  assert.equal(query?.name, 'load user')
  assert.equal(query.parentSpanContext?.spanId, request?.spanContext().spanId)
  assert.equal(request?.name, 'GET /users/:id')
  assert.equal(request.attributes['http.response.status_code'], 200)
  assert.equal(request.parentSpanContext?.spanId, 'b7ad6b7169203331')
  for (const span of [query, request]) assert.equal(span.spanContext().traceId, traceId)
})
