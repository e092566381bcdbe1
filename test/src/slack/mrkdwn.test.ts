import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  channelMention,
  dateAfter,
  dateToken,
  escapeMrkdwn,
  link,
  mention,
  mentioned,
  plain,
  truncate,
  withMentions,
} from '../../../src/slack/mrkdwn.ts';

describe('outside text in mrkdwn', () => {
  it.each([
    ['an entity', 'A & B <c>', 'A &amp; B &lt;c&gt;'],
    ['an entity that arrived escaped', '&lt;!channel&gt;', '&amp;lt;!channel&amp;gt;'],
    ['a channel mention', '<!channel>', '&lt;!channel&gt;'],
    ['a mention', '<@U123>', '&lt;@U123&gt;'],
    ['bold', '*bold*', '∗bold∗'],
    ['strike and code', '~a~ `b`', '∼a∼ ˋbˋ'],
    ['italics, but not an id', '_it_ EMP_0042', 'ˍitˍ EMP_0042'],
    ['an emoji name', ':tada:', ':\u200Btada:'],
    ['a time of day', '12:30', '12:30'],
    ['hours that can be copied', '22:00-07:00 and 09:00:00', '22:00-07:00 and 09:00:00'],
    ['an emoji name made of digits', ':100:', ':\u200B100:'],
    ['a name that mentions everyone', '@here @Channel', '@\u200Bhere @\u200BChannel'],
    ['a quote at the start', '> quoted', '\u200B&gt; quoted'],
    ['several lines', 'one\r\n\ttwo\u2028three', 'one two three'],
    ['text with a direction override', 'abc\u202Edef\u2066x\u2069', 'abcdefx'],
    ['invisible characters', 'a\u200Bb\uFEFFc\u{E0041}d\u0000e', 'abcd e'],
    ['half a surrogate pair', 'a\uD83Db', 'ab'],
    ['right-to-left text', 'שלום', 'שלום\u200E'],
    ['emoji and accents', 'Café 👩‍👧 Zoë', 'Café 👩‍👧 Zoë'],
  ])('shows %s literally', (_what, text, expected) => {
    expect(escapeMrkdwn(text)).toBe(expected);
  });

  it('never lets a formatting character, a token or a direction override through', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('<', '>', '&', '!', '@', '*', '_', '~', '`', 'a', ' ', '\u202E', '\n', ':', '|'), {
          maxLength: 40,
        }),
        (parts) => {
          const text = escapeMrkdwn(parts.join(''));

          expect(text).not.toMatch(/[<>*~`\u202A-\u202E\u2066-\u2069\n]/);
          expect(text).not.toMatch(/(?<![a-z])_|_(?![a-z])/);
          expect(text.replaceAll(/&(amp|lt|gt);/g, '')).not.toContain('&');
        },
      ),
    );
  });

  it('renders plain text the same way as text with special characters', () => {
    // The accent makes every rule run, and changes nothing itself.
    const ascii = fc.string({
      unit: fc.constantFrom(...'* _ ~ ` @ : < > & | - " / . , 9 a Z here :tada: 12:30'.split(' '), ' '),
    });
    fc.assert(
      fc.property(ascii, (text) => {
        expect(escapeMrkdwn(`a${text}z`)).toBe(escapeMrkdwn(`a${text}zé`).slice(0, -1));
      }),
      { numRuns: 500 },
    );
    expect(escapeMrkdwn('  between spaces ')).toBe('between spaces');
  });
});

describe('outside text in plain text', () => {
  it.each([
    ['A & B <c>', 'A & B <c>'],
    ['<!channel> *x*', '<\u200B!channel> *x*'],
    ['a\u202Eb\nc', 'ab c'],
  ])('turns %j into %j', (text, expected) => {
    expect(plain(text)).toBe(expected);
  });
});

describe('truncate', () => {
  it.each([
    ['short', 10, 'short'],
    ['exactly10!', 10, 'exactly10!'],
    ['exactly 11!', 10, 'exactly 1…'],
    ['ab&amp;cd', 6, 'ab…'],
    ['ab&amp;cdef', 9, 'ab&amp;c…'],
    ['😀😀😀', 4, '😀…'],
    ['hi <@U123456> there', 10, 'hi…'],
    ['word word word', 6, 'word…'],
  ])('cuts %j to %i as %j', (text, max, expected) => {
    expect(truncate(text, max)).toBe(expected);
  });

  it('keeps to the limit and splits no character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer({ min: 1, max: 40 }), (text, max) => {
        const cut = truncate(escapeMrkdwn(text), max);

        expect(cut.length).toBeLessThanOrEqual(Math.max(max, 1));
        expect(cut).not.toMatch(/\p{Cs}/u);
        expect(cut.replaceAll(/&(amp|lt|gt);/g, '')).not.toContain('&');
      }),
    );
  });
});

describe('tokens', () => {
  it('link only to https, with a URL that cannot end the token', () => {
    expect(link('https://example.com/?a=1&b=>|', 'a|b <c>')).toBe(
      '<https://example.com/?a=1&amp;b=%3E%7C|a¦b &lt;c&gt;>',
    );
    expect(link('javascript:alert(1)', 'label')).toBe('label');
    expect(link('https://', 'label')).toBe('label');
  });

  it('keep a person who was mentioned, as text too', () => {
    expect(mentioned('<@U0JANE>')).toBe('U0JANE');
    expect(mentioned('<@W0JANE>,')).toBe('W0JANE');
    expect(mentioned("<@U0JANE>'s")).toBe('U0JANE');
    expect(mentioned('<@U0JANE>’s card')).toBe('U0JANE');
    for (const word of ['@jane', '<@U0JANE>s', '<@B0BOT>', '<!here>', '']) expect(mentioned(word)).toBeNull();
    expect(withMentions(escapeMrkdwn('<@U0JANE> and <!here>'))).toBe('<@U0JANE> and &lt;!here&gt;');
  });

  it('mention only valid ids', () => {
    expect(mention('U0123ABC')).toBe('<@U0123ABC>');
    expect(mention('!channel')).toBe('!channel');
    expect(mention('U1> <!here')).toBe('U1&gt; &lt;!here');
    expect(channelMention('C0123ABC')).toBe('<#C0123ABC>');
    expect(channelMention('general')).toBe('general');
    expect(channelMention('D0123ABC')).toBe('a direct message');
  });

  it('show a time in the reader’s zone, with an Eastern fallback', () => {
    expect(dateToken('2026-11-20T14:14:00.9Z')).toBe(
      '<!date^1795184040^{date_short_pretty} at {time}|Nov 20, 2026, 9:14 AM ET>',
    );
    expect(dateToken('2026-11-20T14:14:00Z', '{time}', 'then')).toBe('<!date^1795184040^{time}|then>');
    expect(dateToken('<!channel>')).toBe('&lt;!channel&gt;');
  });

  it('fit into the middle of a sentence', () => {
    expect(`Wait ${dateAfter('until', '2026-11-20T14:14:00Z')}.`).toBe(
      'Wait <!date^1795184040^until {date_short_pretty} at {time}|until Nov 20, 2026, 9:14 AM ET>.',
    );
    expect(dateAfter('until', 'no time')).toBe('until no time');
  });
});
