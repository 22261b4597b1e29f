import { expect, it } from 'vitest'
import { NOTHING_VALID } from './nothing-valid.ts'

it('rejects changes, because all requests without schemas share it', () => {
  expect(() => Object.assign(NOTHING_VALID, { params: { id: '7' } })).toThrow(TypeError)
  expect(NOTHING_VALID).toEqual({ params: undefined, query: undefined, headers: undefined, body: undefined })
})
