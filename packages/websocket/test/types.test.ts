import { Server } from '@fw/core'
import type { StandardSchema } from '@fw/types'
import { expect, expectTypeOf, it } from 'vitest'
import { acceptWebSocket, type ServerWebSocket, webSocket, type WebSocketMessage } from '../src/index.ts'

const schema = <T>(): StandardSchema<T> => ({
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value as T }) },
})

it('infers parameters and validated values in handlers', () => {
  const router = new Server().router()
  webSocket(router, '/rooms/:room', {
    message(socket, data) {
      expectTypeOf(socket.ctx.params.room).toEqualTypeOf<string>()
      expectTypeOf(data).toEqualTypeOf<WebSocketMessage>()
      // @ts-expect-error The path has no such parameter.
      expect(socket.ctx.params.other).toBeUndefined()
    },
  })
  webSocket(
    router.group('/teams/:team'),
    '/rooms/:room',
    { query: schema<{ since: number }>() },
    {
      upgrade: (ctx) => expectTypeOf(ctx.params).toExtend<{ team: string; room: string }>(),
      open: (socket) => expectTypeOf(socket.ctx.valid.query.since).toEqualTypeOf<number>(),
    },
  )
  // @ts-expect-error A WebSocket has no body to validate.
  expect(() => webSocket(router, '/a', { body: schema<string>() }, {})).toThrow(TypeError)
  // @ts-expect-error The handler's name is misspelled.
  expect(() => webSocket(router, '/b', { messages: () => {} })).toThrow(TypeError)
})

it('keeps the type of the context', () => {
  new Server().router().get('/:id', { tunnels: ['websocket'] }, async (ctx) => {
    const socket = await acceptWebSocket(ctx)
    expectTypeOf(socket.ctx.params.id).toEqualTypeOf<string>()
    expectTypeOf(socket).toExtend<ServerWebSocket<typeof ctx>>()
    for await (const message of socket) expectTypeOf(message).toEqualTypeOf<WebSocketMessage>()
  })
})
