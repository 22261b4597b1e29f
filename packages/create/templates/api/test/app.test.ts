import assert from 'node:assert/strict'
import { test } from 'node:test'
import { server } from '../src/app.ts'

function send(method: string, path: string, body: unknown): Promise<Response> {
  return server.fetch(path, { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })
}

test('creates, changes and deletes a todo', async () => {
  const created = await send('POST', '/todos', { title: 'Buy milk' })
  assert.equal(created.status, 201)
  assert.deepEqual(await created.json(), { id: 1, title: 'Buy milk', done: false })
  const path = created.headers.get('location') ?? ''

  const changed = await send('PATCH', path, { done: true })
  assert.deepEqual(await changed.json(), { id: 1, title: 'Buy milk', done: true })

  assert.equal((await server.fetch(path, { method: 'DELETE' })).status, 204)
  assert.equal((await server.fetch(path)).status, 404)
})

test('rejects a todo without a title, and names the missing member', async () => {
  const response = await send('POST', '/todos', { title: '' })
  assert.equal(response.status, 400)
  assert.equal(response.headers.get('content-type'), 'application/problem+json')
  const { errors } = (await response.json()) as { errors: { pointer: string }[] }
  assert.deepEqual(
    errors.map(({ pointer }) => pointer),
    ['/title'],
  )
})
