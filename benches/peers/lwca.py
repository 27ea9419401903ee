"""Common code: the paper's first draw and the LWCA matrix, plain NumPy."""
import numpy as np


def draw(members, size=20, seed=1):
    """The first `size` columns of the paper's first permutation."""
    uniforms = np.random.RandomState(seed).random_sample(members.shape[1])
    return members[:, np.argsort(uniforms, kind="stable")[:size]]


def lwca(labels, theta=0.4):
    """Locally weighted co-association at n x n, with diagonal 1."""
    n, m = labels.shape
    blocks = [np.unique(labels[:, k], return_inverse=True)[1] for k in range(m)]
    onehot = np.hstack([np.eye(b.max() + 1)[b] for b in blocks])
    share = (onehot.T @ onehot) / onehot.sum(0)[:, None]
    entropy = -np.where(share > 0, share * np.log2(np.where(share > 0, share, 1)), 0).sum(1)
    weight = np.exp(-entropy / (theta * m))
    similarity = (onehot * weight) @ onehot.T / m
    np.fill_diagonal(similarity, 1)
    return similarity
