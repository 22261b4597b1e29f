import { describe, expectTypeOf, it } from 'vitest'
import type { PathParams } from './path-params.ts'

describe('PathParams', () => {
  it('reads every kind of segment', () => {
    expectTypeOf<PathParams<'/users/:id'>['id']>().toEqualTypeOf<string>()
    expectTypeOf<PathParams<'/files/*path'>['path']>().toEqualTypeOf<string>()
    expectTypeOf<PathParams<'/a/:b/c/:d?'>>().toExtend<{ readonly b: string; readonly d?: string }>()
    expectTypeOf<{ b: string }>().toExtend<PathParams<'/a/:b/c/:d?'>>()
  })

  it('does not contain other names', () => {
    expectTypeOf<keyof PathParams<'/users/:id'>>().toEqualTypeOf<'id'>()
  })

  it('accepts any name if the pattern is not a literal', () => {
    expectTypeOf<PathParams<string>['anything']>().toEqualTypeOf<string | undefined>()
  })
})
