import type { Button } from '@slack/types';
import type { CardFacts } from '../../src/core/card-facts.ts';
import type { ShippingEvent } from '../../src/core/event.ts';
import { type Carrier, carrierOfForm } from '../../src/core/tracking-number.ts';
import { actionId } from '../../src/slack/action-id.ts';
import { dateToken, link } from '../../src/slack/mrkdwn.ts';
import { button, escapeUntrusted, type Field } from './blocks.ts';
import { cardOfHolderRaw } from './card-words.ts';

type Shipment = Pick<ShippingEvent, 'shippingMethod' | 'trackingNumber'>;

interface TrackingLink {
  readonly carrier: Carrier;
  readonly url: string;
}

/** The carriers' public pages; the number follows. */
const pages: Readonly<Record<Carrier, string>> = {
  USPS: 'https://tools.usps.com/go/TrackConfirmAction?tLabels=',
  UPS: 'https://www.ups.com/track?tracknum=',
  FedEx: 'https://www.fedex.com/fedextrack/?trknbr=',
  DHL: 'https://www.dhl.com/us-en/home/tracking.html?tracking-id=',
};

const named: readonly (readonly [RegExp, Carrier])[] = [
  [/fed\s?ex|federal\s?express/i, 'FedEx'],
  [/usps|postal service|post office/i, 'USPS'],
  [/dhl/i, 'DHL'],
  [/(?<![a-z])ups|united parcel/i, 'UPS'],
];

/** Products that only the postal service sells. Weaker than a number that says otherwise. */
const postalProduct = /first.?class|priority.?mail|^priority$/i;

/**
 * Where a shipment can be followed; null when the carrier is not sure. The carrier's name in the shipping method
 * decides, then the form of the number with its check digit.
 */
export function trackingLink(method: string, number: string): TrackingLink | null {
  const compact = number.replaceAll(/[\s-]/g, '').toUpperCase();
  if (!/^[0-9A-Z]{6,40}$/.test(compact)) return null;
  const carrier =
    named.find(([name]) => name.test(method))?.[1] ??
    carrierOfForm(compact) ??
    (postalProduct.test(method.trim()) ? 'USPS' : null);
  return carrier && { carrier, url: pages[carrier] + encodeURIComponent(compact) };
}

/** The number, as a link if the shipment can be followed. Empty: there is none. */
export function trackingNumberOf({ shippingMethod, trackingNumber }: Shipment): string {
  const tracking = trackingLink(shippingMethod, trackingNumber);
  const shown = trackingNumber.trim().slice(0, 60);
  return tracking === null ? escapeUntrusted(shown, 60) : link(tracking.url, shown);
}

/** `FedEx, 1234 5678.`, with a link when the carrier is known. */
export function trackingText(shipment: Shipment): string {
  const words = [escapeUntrusted(shipment.shippingMethod, 60), trackingNumberOf(shipment)].filter(Boolean).join(', ');
  return words === '' ? '' : `${words}.`;
}

/** How a shipment travels: the end of a sentence about it, its facts, and where it can be followed. */
export function shipmentOf(event: ShippingEvent) {
  const { shippingMethod, trackingNumber, callbackAt } = event;
  const tracking = trackingLink(shippingMethod, trackingNumber);
  const method = escapeUntrusted(shippingMethod, 60);
  const number = escapeUntrusted(trackingNumber, 60);
  const facts: readonly Field[] = [
    ['Shipping method', method],
    ['Tracking number', trackingNumberOf(event)],
    ['Shipped', dateToken(callbackAt)],
  ];
  return { tracking, facts, how: `${method && ` with ${method}`}${number && `, tracking number ${number}`}` };
}

/** Null where the carrier is not sure. */
export function trackButton(tracking: TrackingLink | null, card: CardFacts): Button | null {
  if (tracking === null) return null;
  const { carrier, url } = tracking;
  const label = `Track ${cardOfHolderRaw(card)} with ${carrier}`;
  return button({ text: `Track with ${carrier}`, action: actionId.trackShipment, url, label });
}
