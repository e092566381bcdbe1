import { describe, expect, it } from 'vitest';
import { merchantName } from '../../../src/core/merchant-name.ts';

const keys = (...names: readonly string[]): string[] => [...new Set(names.map((name) => merchantName(name).key))];

describe('the name of a merchant', () => {
  it.each([
    [
      'marketplace or own shop',
      ['AMZN Mktp US*2K3', 'AMZN Mktp US*RT4Y81Q02', 'Amazon.com', 'AMAZON.COM*1A2B3C', 'Amazon'],
    ],
    [
      'the payment processor and the shop number',
      ['SQ *COFFEE BAR', 'COFFEE BAR #12', 'Coffee Bar', 'TST* Coffee Bar', 'coffee  bar # 7'],
    ],
    ['case, spaces and apostrophes', ["McDonald's", 'MCDONALD’S', 'McDonalds  ', '  mcdonalds']],
    ['a long number at the end', ['STARBUCKS STORE 04512', 'Starbucks 04512', 'Starbucks #4512', 'STARBUCKS']],
    ['the reference of an order', ['FACEBK *7HG6KMYJ2', 'FACEBK *K2M8X9Q4T', 'Facebk']],
  ])('ignores differences in %s', (_what, names) => {
    expect(keys(...names)).toHaveLength(1);
  });

  it.each([
    ['companies of one brand', ['Amazon', 'Amazon Web Services', 'Amazon Fresh', 'Amazon.co.uk', 'AMZN Mktp DE']],
    ['services sold under another name', ['UBER *EATS', 'UBER *TRIP', 'Uber']],
    [
      'names that end with a number',
      ['Studio 54', 'Studio', 'Forever 21', 'Forever', 'Pier 39', 'Pier', 'Tavern 1883', 'Tavern'],
    ],
    [
      'names with digits after a star',
      ['PADDLE.NET* N8N', 'PADDLE.NET* 1PASSWORD', 'PADDLE.NET* AREA51', 'Paddle.net'],
    ],
    ['numbers alone', ['#12', '#13', '00012', 'SQ *12', 'SQ *13']],
    [
      'endings that may distinguish two merchants',
      ['Hotels', 'Hotels.com', 'Acme Inc', 'Acme LLC', 'Coffee Bar Austin'],
    ],
  ])('keeps %s apart', (_what, names) => {
    expect(keys(...names)).toHaveLength(names.length);
  });

  it('is shown as sent, without parts that vary between purchases', () => {
    expect(merchantName('SQ *Blue Bottle #4').name).toBe('Blue Bottle');
    expect(merchantName('AMZN Mktp US*2K3').name).toBe('Amazon');
    expect(merchantName(' 7-Eleven ').name).toBe('7-Eleven');
    expect(merchantName('').name).toBe('');
  });

  it('does not change when normalized again', () => {
    for (const sent of ['SQ *COFFEE BAR', 'AMZN Mktp US*2K3', 'Shop 00123 #4', 'SQ *SQ *A1B2'])
      expect(merchantName(merchantName(sent).name).key).toBe(merchantName(sent).key);
  });
});
