import type { PurchaseRequest } from '../sandbox/engine/purchase-request.ts';

/** A kind of shop at the cash register. Each payment goes to the next shop of its kind. */
interface TillMerchant {
  readonly id: string;
  readonly label: string;
  /** None of them appears in the story or in Sam's first purchases. */
  readonly names: readonly [string, ...string[]];
  /** The purchase's fields besides card, amount and name. */
  readonly request: Omit<PurchaseRequest, 'AcctId' | 'Amount' | 'MerchantName'>;
}

const inAlbany = { MerchantCity: 'Albany', MerchantState: 'NY' };

/** One kind of shop for each thing that a card's rules can check: category, country, presence. */
export const TILL_MERCHANTS: readonly TillMerchant[] = [
  {
    id: 'restaurant',
    label: 'Restaurant',
    names: ['Bluebird Bistro', 'Saffron Table', 'Stone Oven Pizza', 'The Copper Pot', 'Maple & Rye', 'Little Lisbon'],
    request: { MCCCode: '5812', ...inAlbany },
  },
  {
    id: 'hardware',
    label: 'Tools and timber',
    names: ['Pine Street Lumber', 'Hudson Tool Supply', 'Cobble Hill Hardware', 'Valley Fasteners'],
    request: { MCCCode: '5251', ...inAlbany },
  },
  {
    id: 'fuel',
    label: 'Fuel, at the pump',
    names: ['Riverside Fuel', 'Quick Stop Fuel', 'Exit 23 Fuel', 'Capital Fuel'],
    request: { MCCCode: '5542', ...inAlbany },
  },
  {
    id: 'hotel',
    label: 'Hotel',
    names: ['Green Mountain Inn', 'Maple Leaf Lodge', 'Church Street Hotel', 'Battery Park Inn'],
    request: { MCCCode: '7011', MerchantCity: 'Burlington', MerchantState: 'VT' },
  },
  {
    id: 'online',
    label: 'Online shop (card not present)',
    names: ['Desk and Lamp Online', 'Toner Direct Online', 'Label Maker Online', 'Binder House Online'],
    request: { MCCCode: '5943', IsCardPresent: false },
  },
  {
    id: 'abroad',
    label: 'Bookstore in France',
    names: ['Librairie des Quais', 'Librairie Sainte-Anne', 'Librairie du Midi', 'Librairie Lumière'],
    request: { MCCCode: '5942', MerchantCity: 'Marseille', MerchantState: '', MerchantCountry: 'FR' },
  },
  {
    id: 'casino',
    label: 'Casino',
    names: ['Silver Wheel', 'Golden Ace', 'Desert Star', 'High Sierra'],
    request: { MCCCode: '7995', MerchantCity: 'Reno', MerchantState: 'NV' },
  },
];

/**
 * The name of a shop of a kind. Someone who pays twice should see two declines: the same card at the same shop would
 * only be counted in the first message, and three cards at one shop would be reported as card testing.
 *
 * @param turn how many payments this kind has had. After the last name come branches with a bare number, because `No.
 * 2` of a shop counts as the same merchant.
 */
export function tillMerchantName({ names }: TillMerchant, turn: number): string {
  const name = names[turn % names.length] ?? names[0];
  const round = Math.floor(turn / names.length);
  return round === 0 ? name : `${name} ${round + 1}`;
}
