import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { BorrowedBytes, type Holding } from './borrowed-bytes.ts'

it('counts lent files that are no longer cached, in any order', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(3), fc.constantFrom('lend', 'return', 'drop'))), (steps) => {
      const loans = new BorrowedBytes()
      const holdings = [1, 10, 100, 1000].map((size): Holding => ({ size, borrowers: 0, isKept: size > 1 }))
      const lent: (() => void)[][] = [[], [], [], []]
      for (const [at, step] of steps) {
        const holding = holdings[at]
        if (holding === undefined) continue
        if (step === 'lend') lent[at]?.push(loans.lend(holding))
        else if (step === 'drop') loans.drop(holding)
        else lent[at]?.pop()?.()
        const expected = holdings.map(({ size, isKept }, i) => (lent[i]?.length === 0 || isKept ? 0 : size))
        expect(loans.bytes).toBe(expected.reduce((sum, size) => sum + size))
      }
      for (const release of lent.flat()) release()
      expect(loans.bytes).toBe(0)
    }),
  )
})
