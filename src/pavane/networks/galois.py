"""Finite fields of small order, as tables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Table = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Field:
    """A finite field with elements 0, 1, ..., order - 1; for a prime order these are the residues."""

    sums: Table
    """sums[a, b] is a + b."""
    products: Table
    """products[a, b] is a * b."""
    powers: tuple[int, ...]
    """The powers 1, x, x^2, ... of a primitive element: every element but 0, once."""


def prime_power(number: int) -> tuple[int, int] | None:
    """Return p and n if the number is p^n for a prime p, else None."""
    if number < 2:
        return None
    prime = next((p for p in range(2, number) if p * p <= number and number % p == 0), number)
    exponent = 0
    rest = number
    while rest % prime == 0:
        rest //= prime
        exponent += 1
    return (prime, exponent) if rest == 1 else None


def field(prime: int, exponent: int) -> Field:
    """Return the field of order p^n: polynomials over the residues of p modulo a primitive one of degree n.

    The digits of an element to base p are the coefficients of its polynomial, constant term first.
    """
    order = prime**exponent
    digits = np.arange(order)[:, None] // prime ** np.arange(exponent) % prime
    weights = prime ** np.arange(exponent)
    sums = (digits[:, None, :] + digits[None, :, :]) % prime @ weights
    powers = next(p for p in (_powers(prime, exponent, tail) for tail in range(1, order)) if p is not None)
    logarithm = {element: i for i, element in enumerate(powers)}
    products = np.zeros((order, order), dtype=np.int64)
    for a in range(1, order):
        for b in range(1, order):
            products[a, b] = powers[(logarithm[a] + logarithm[b]) % (order - 1)]
    return Field(sums, products, powers)


def _powers(prime: int, exponent: int, tail: int) -> tuple[int, ...] | None:
    """Return the powers of x modulo x^n - tail, or None where x does not generate every element but 0."""
    order = prime**exponent
    powers = [1]
    while True:
        # Multiply by x: shift the digits, and put the tail for the digit that is shifted out.
        top, rest = divmod(powers[-1], order // prime)
        element = 0
        for i in range(exponent):
            weight = prime**i
            element += (rest * prime // weight + top * (tail // weight)) % prime * weight
        if element == 1:
            return tuple(powers) if len(powers) == order - 1 else None
        if element == 0 or len(powers) == order:
            return None
        powers.append(element)
