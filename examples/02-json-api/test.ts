import assert from 'node:assert/strict'
import { test } from 'node:test'
import { server } from './main.ts'

function post(body: unknown): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return server.fetch('/todos', { method: 'POST', body: JSON.stringify(body), headers })
}

test('creates, completes, lists and deletes a todo', async () => {
  const created = await post({ title: 'Buy milk' })
  assert.equal(created.status, 201)
  const path = created.headers.get('location') ?? ''

  const done = await server.fetch(`${path}/done`, { method: 'PUT' })
  assert.deepEqual(await done.json(), { id: 1, title: 'Buy milk', done: true })
  assert.deepEqual(await (await server.fetch('/todos?done=false')).json(), [])

  assert.equal((await server.fetch(path, { method: 'DELETE' })).status, 204)
  const missing = await server.fetch(path)
  assert.equal(missing.status, 404)
  assert.equal(((await missing.json()) as { detail: string }).detail, 'Todo 1 does not exist')
})

test('answers 400 with a JSON Pointer to the invalid member', async () => {
  const response = await post({ title: '' })
  assert.equal(response.status, 400)
  assert.equal(response.headers.get('content-type'), 'application/problem+json')
  const { errors } = (await response.json()) as { errors: [{ in: string; pointer: string }] }
  assert.equal(`${errors[0].in} ${errors[0].pointer}`, 'body /title')
})
