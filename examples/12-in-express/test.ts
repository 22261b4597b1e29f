import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { app } from './main.ts'

const listener = app.listen(0, '127.0.0.1')
await once(listener, 'listening')
after(() => listener.close())
const { port } = listener.address() as AddressInfo

async function servedBy(path: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`)
  return ((await response.json()) as { servedBy: string }).servedBy
}

test('serves the moved route with @fw/core, and the others with Express', async () => {
  assert.equal(await servedBy('/users/7'), '@fw/core')
  assert.equal(await servedBy('/orders/7'), 'express')
})
