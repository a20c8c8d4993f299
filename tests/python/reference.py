"""Solves by NumPy's FFT and by dense matrices, which share nothing with the library."""

import numpy as np


def periodic(f, box=(1, 1, 1), lambda_=0.0, factor=1.0):
    """lap(u) - lambda u = factor f with every side periodic; box as (lz, ly, lx)."""
    k = [2 * np.pi * np.fft.fftfreq(n, length / n) for n, length in zip(f.shape, box)]
    k2 = k[0][:, None, None] ** 2 + k[1][None, :, None] ** 2 + k[2] ** 2 + lambda_
    null = k2[0, 0, 0] == 0
    k2[0, 0, 0] = 1 if null else k2[0, 0, 0]
    u = -factor * np.fft.fftn(f) / k2
    u[0, 0, 0] = 0 if null else u[0, 0, 0]
    return np.fft.ifftn(u).real


def far(u, expected):
    """The largest error, relative to the largest number expected; NaN is infinitely far."""
    error = np.max(np.abs(np.asarray(u, dtype=float) - expected)) / np.max(np.abs(expected))
    return error if error == error else np.inf


def random(shape, dtype="f8", seed=1):
    f = np.random.default_rng(seed).standard_normal(shape)
    return (f - f.mean()).astype(dtype)
