import assert from 'node:assert/strict'
import { test } from 'node:test'
import './build.ts'
import { server } from './main.ts'

test('serves the page for each application path', async () => {
  for (const path of ['/', '/hello/Ada']) {
    const response = await server.fetch(path)
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('cache-control'), 'no-cache')
    assert.match(await response.text(), /<main>/)
  }
})

test('sends compressed scripts that browsers cache', async () => {
  const page = await (await server.fetch('/')).text()
  const script = /\/assets\/[^"]+\.js/.exec(page)?.[0] ?? ''
  for (const coding of ['br', 'zstd']) {
    const response = await server.fetch(script, { headers: { 'accept-encoding': coding } })
    assert.equal(response.headers.get('content-encoding'), coding)
    assert.equal(response.headers.get('cache-control'), 'max-age=31536000, immutable')
  }
})

test('answers 404 for an unknown API path', async () => {
  assert.equal((await server.fetch('/api/nowhere')).status, 404)
})
