import { expect, it } from 'vitest'
import { missingExtension } from './missing-extension.ts'

it.each([
  ['ctx', 'sse', "ctx.sse() needs: import '@fw/sse/register'"],
  ['router', 'staticFiles', "router.staticFiles() needs: import '@fw/static/register'"],
] as const)('names the import that installs %s.%s()', (receiver, name, message) => {
  expect(missingExtension(receiver, name).message).toBe(message)
})
