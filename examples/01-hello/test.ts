import assert from 'node:assert/strict'
import { test } from 'node:test'
import { server } from './main.ts'

test('greets by name', async () => {
  const response = await server.fetch('/hello/Ada')
  assert.equal(response.status, 200)
  assert.deepEqual(await response.json(), { hello: 'Ada' })
})

test('answers 404 for an unknown path', async () => {
  const response = await server.fetch('/nowhere')
  assert.equal(response.status, 404)
})
