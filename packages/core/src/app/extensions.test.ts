import { describe, expect, it } from 'vitest'
import { App } from './app.ts'
import { extendContext, extendRouter } from './extensions.ts'

const method = (): string => 'x'
const again = (): string => 'x'

describe('an extension', () => {
  it('names the missing import if it is not installed', async () => {
    const errors: unknown[] = []
    const app = new App({ onError: (_, error) => errors.push(error) })
    app.router.get('/', (ctx) => (ctx as unknown as { sse(): void }).sse())
    await app.fetch('/')
    expect(String(errors)).toContain(`ctx.sse() is not installed. Add: import '@fw/sse/register'`)
    const router = app.router as unknown as { staticFiles(): void }
    expect(() => router.staticFiles()).toThrow(
      `router.staticFiles() is not installed. Add: import '@fw/static/register'`,
    )
  })

  it('adds a method to every context and router, including groups', async () => {
    extendContext('shout', 'test', function (text: string) {
      this.text(text.toUpperCase())
    })
    extendRouter('hello', 'test', function (path: string) {
      this.get(path, (ctx) => (ctx as unknown as { shout(text: string): void }).shout('hello'))
    })
    const app = new App()
    const group = app.router.group('/g') as unknown as { hello(path: string): void }
    group.hello('/x')
    expect(await (await app.fetch('/g/x')).text()).toBe('HELLO')
  })

  it('can be installed twice by one copy of a package, but not by a second copy or package', () => {
    for (const extend of [extendContext, extendRouter]) {
      extend('once', '@fw/test', method)
      expect(() => extend('once', '@fw/test', method)).not.toThrow()
      expect(() => extend('once', '@fw/test', again)).toThrow('two copies of @fw/test are loaded')
      expect(() => extend('once', '@fw/other', method)).toThrow('@fw/test already added it')
    }
  })

  it('throws if it would replace a member', () => {
    for (const name of ['text', 'status', 'exchange', 'onFinish']) {
      expect(() => extendContext(name, 'test', () => 0)).toThrow('Context already has a member with that name')
    }
    for (const name of ['get', 'use', 'prefix']) {
      expect(() => extendRouter(name, 'test', () => 0)).toThrow('Router already has a member with that name')
    }
  })
})
