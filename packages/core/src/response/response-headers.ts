import { showType, showValue } from '@fw/options'
import type { FieldList, ResponseHeaders } from '@fw/types'
import { checkField } from '../engine/fields/field-rules.ts'

const NONE: FieldList = []

/** Who sends the head that is being prepared. */
export interface HeadSender {
  /** Whether it was sent: changes are without effect from then on. */
  readonly headSent: boolean
  /** Is told of a change that is without effect. */
  onLateChange(what: string): void
}

/**
 * The fields of a response being prepared, in the order in which they were first set. Once they were sent they stay as
 * they are, so that whoever looks at them afterwards, such as an access log, sees what the client was told.
 */
export class ResponseHeaderList implements ResponseHeaders {
  readonly #sender: HeadSender | undefined
  #fields: FieldList = NONE
  /** The same list, once it is of its own: another is copied before it is changed. */
  #own: string[] | undefined = undefined

  /**
   * @param sender None for a list that is not sent itself
   * @param fields What it begins with, even if that has been sent
   */
  constructor(sender?: HeadSender, fields: FieldList = NONE) {
    this.#sender = sender
    this.#fields = fields
  }

  get(name: string): string | null {
    const fields = this.#fields
    const wanted = name.toLowerCase()
    let joined: string | null = null
    for (let i = 0; i < fields.length; i += 2) {
      if (fields[i] === wanted) joined = joined === null ? (fields[i + 1] ?? '') : `${joined}, ${fields[i + 1]}`
    }
    return joined
  }

  getAll(name: string): readonly string[] {
    const fields = this.#fields
    const wanted = name.toLowerCase()
    const values: string[] = []
    for (let i = 0; i < fields.length; i += 2) if (fields[i] === wanted) values.push(fields[i + 1] ?? '')
    return values
  }

  has(name: string): boolean {
    return this.#indexOf(name.toLowerCase()) !== -1
  }

  set(name: string, value: string): void {
    const wanted = name.toLowerCase()
    checkText(wanted, value)
    checkField(wanted, value)
    if (this.#isLate(wanted)) return
    const index = this.#indexOf(wanted)
    const fields = this.#changeable
    if (index === -1) {
      fields.push(wanted, value)
      return
    }
    fields[index + 1] = value
    this.#drop(wanted, index + 2)
  }

  setAll(fields: FieldList): void {
    if (this.#isLate(fields[0] ?? '')) return
    if (this.#fields.length === 0) {
      this.#fields = fields
      this.#own = undefined
      return
    }
    for (let i = 0; i < fields.length; i += 2) this.delete(fields[i] ?? '')
    this.#changeable.push(...fields)
  }

  append(name: string, value: string): void {
    const lower = name.toLowerCase()
    checkText(lower, value)
    checkField(lower, value)
    if (this.#isLate(lower)) return
    this.#changeable.push(lower, value)
  }

  delete(name: string): void {
    const lower = name.toLowerCase()
    if (this.#indexOf(lower) === -1 || this.#isLate(lower)) return
    this.#drop(lower, 0)
  }

  *[Symbol.iterator](): IterableIterator<[name: string, value: string]> {
    const fields = this.#fields
    for (let i = 0; i < fields.length; i += 2) yield [fields[i] ?? '', fields[i + 1] ?? '']
  }

  /** The fields as an exchange takes them. */
  get fields(): FieldList {
    return this.#fields
  }

  #isLate(name: string): boolean {
    if (this.#sender?.headSent !== true) return false
    this.#sender.onLateChange(`field ${name}`)
    return true
  }

  get #changeable(): string[] {
    if (this.#own === undefined) this.#fields = this.#own = [...this.#fields]
    return this.#own
  }

  #indexOf(name: string): number {
    const fields = this.#fields
    for (let i = 0; i < fields.length; i += 2) if (fields[i] === name) return i
    return -1
  }

  /** Takes out the fields of that name from `start` on. */
  #drop(name: string, start: number): void {
    if (this.#own === undefined && this.#indexOf(name) === -1) return
    const fields = this.#changeable
    let kept = start
    for (let i = start; i < fields.length; i += 2) {
      if (fields[i] === name) continue
      fields[kept] = fields[i] ?? ''
      fields[kept + 1] = fields[i + 1] ?? ''
      kept += 2
    }
    if (kept < fields.length) fields.length = kept
  }
}

/** Programs without types give numbers, and what is `undefined`. */
function checkText(name: string, value: unknown): void {
  if (typeof value === 'string') return
  throw new TypeError(`response: value of field ${showValue(name)} must be a string, got ${showType(value)}.`)
}
