import type { FieldList, ResponseHeaders } from '@fw/types'
import { checkField } from './fields.ts'

/** The fields of an answer being prepared, in the order in which they were first set. */
export class ResponseHeaderList implements ResponseHeaders {
  #fields: string[] = []

  get(name: string): string | null {
    const values = this.getAll(name)
    return values.length <= 1 ? (values[0] ?? null) : values.join(', ')
  }

  getAll(name: string): readonly string[] {
    const wanted = name.toLowerCase()
    const values: string[] = []
    for (const [field, value] of this) if (field === wanted) values.push(value)
    return values
  }

  has(name: string): boolean {
    return this.#indexOf(name.toLowerCase()) !== -1
  }

  set(name: string, value: string): void {
    checkField(name, value)
    const wanted = name.toLowerCase()
    const index = this.#indexOf(wanted)
    if (index === -1) {
      this.#fields.push(wanted, value)
      return
    }
    this.#fields[index + 1] = value
    this.#drop(wanted, index + 2)
  }

  append(name: string, value: string): void {
    checkField(name, value)
    this.#fields.push(name.toLowerCase(), value)
  }

  delete(name: string): void {
    this.#drop(name.toLowerCase(), 0)
  }

  *[Symbol.iterator](): IterableIterator<[name: string, value: string]> {
    const fields = this.#fields
    for (let i = 0; i < fields.length; i += 2) yield [fields[i] ?? '', fields[i + 1] ?? '']
  }

  /** The fields as an exchange takes them. */
  get fields(): FieldList {
    return this.#fields
  }

  #indexOf(name: string): number {
    const fields = this.#fields
    for (let i = 0; i < fields.length; i += 2) if (fields[i] === name) return i
    return -1
  }

  /** Takes out the fields of that name from `start` on. */
  #drop(name: string, start: number): void {
    const fields = this.#fields
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
