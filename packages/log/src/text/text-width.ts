/** Matches text in which each code unit occupies one column. */
const NARROW = /^[\u0020-\u007e]*$/

/**
 * Matches text that begins with a two-column character: East_Asian_Width W or F, and the pictographs that the
 * standard adds. Reserved code points between wide ones are wide too.
 */
const WIDE =
  /^[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18cff}\u{1aff0}-\u{1b2fb}\u{1f300}-\u{1f5ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u

let segmenter: Intl.Segmenter | undefined

/**
 * Returns the longest prefix of a string that fits into `columns`, and its width. A grapheme cluster is as wide as its
 * first character, one or two columns, and is never split.
 *
 * @see C++23 [format.string.std]/13
 */
export function fitting(text: string, columns: number): { readonly text: string; readonly width: number } {
  // Include the next character: it can combine with the last one, as an accent does.
  if (NARROW.test(text.slice(0, columns + 1))) {
    return { text: text.slice(0, columns), width: Math.min(text.length, columns) }
  }
  // Created on first use, because creation takes a millisecond.
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  let width = 0
  for (const { segment, index } of segmenter.segment(text)) {
    const more = WIDE.test(segment) ? 2 : 1
    if (width + more > columns) return { text: text.slice(0, index), width }
    width += more
  }
  return { text, width }
}
