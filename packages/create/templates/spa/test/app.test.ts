import assert from 'node:assert/strict'
import { test } from 'node:test'
import { server } from '../src/app.ts'

test('serves the page for each application path', async () => {
  for (const path of ['/', '/hello/Ada']) {
    const response = await server.fetch(path)
    assert.equal(response.status, 200)
    assert.match(await response.text(), /<script type="module" src="\/page\.js">/)
  }
})

test('greets by name', async () => {
  const response = await server.fetch('/api/hello/Ada')
  assert.deepEqual(await response.json(), { hello: 'Ada' })
})

test('answers 404 for an unknown API path', async () => {
  assert.equal((await server.fetch('/api/nowhere')).status, 404)
})
